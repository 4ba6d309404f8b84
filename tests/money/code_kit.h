/* What the tests of payment codes share: the database, the sandbox of both channels, two desks of a clerk, a worker. */
#ifndef FD_TESTS_MONEY_CODE_KIT_H
#define FD_TESTS_MONEY_CODE_KIT_H
#include "core/kit.h"
#include "money/code.h"
#include "support/sandbox.h"

extern struct sandbox sandbox;
extern struct desk *ann, *bea, *worker; /* bea is clerk ann at desk2 */

/* kit_start and kit_stop with the sandbox and the desks. The sandbox notifies nobody. */
int code_kit_start(void **state);
int code_kit_stop(void **state);
/* A phone that nobody had before; static. */
const char *next_phone(void);
/* An unpaid order of ann's for the only place of a fresh slot at `price` yuan; the slot's id. */
int64_t slot_and_order(const char *price, char number[NUMBER_BYTES]);
/* One place of a slot for `phone`, at its price of the moment. */
enum fd_code book(struct desk *desk, int64_t slot, const char *phone, char number[NUMBER_BYTES],
                  struct fd_error *error);
/* As ann; it must succeed. */
void open_at(const char *number, enum channel_id channel, int64_t amount_fen, struct pay_code *code);
/* Of an order or a payment, as it is in the tables now; texts are the fixture's. */
const char *state_of(const char *number);
int64_t paid_of(const char *number);
int64_t live_of(const char *number);
/* channel/status/amount/operator/terminal/receipt number as shown/confirmed. */
const char *row_of(const struct pay_code *code);
/* Fen in the open cases of a kind. */
int64_t cases_of(const char *number, const char *kind);
/* As if it had been opened so many seconds earlier than its end and then some. */
void run_out(const char *number, int seconds);
void customer_pays(const struct pay_code *code);
/* At most one question a second is asked. */
void ask_again(struct pay_code *code);
/* Two slots in one bill. */
void bill_of(const char *first, const char *second, char bill[NUMBER_BYTES], char numbers[2][NUMBER_BYTES]);
/* What a channel answers about a code that was paid with this amount. */
struct channel_trade trade_of(const struct pay_code *code, int64_t amount_fen);
/* What the online system writes when its customer opens the payment sheet. */
void online_code(const char *number, const char *channel);
#endif
