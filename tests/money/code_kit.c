#include "money/code_kit.h"

#include <stdlib.h>

#include "base/text.h"
#include "core/operator.h"
#include "venue/booking.h"

struct sandbox sandbox;
struct desk *ann, *bea, *worker;

int code_kit_start(void **state)
{
    kit_start(state);
    char *folder = xprintf("%s/sandbox", fixture.folder);
    sandbox_start(&sandbox, folder, NULL);
    free(folder);
    sandbox_do(&sandbox, "notify off");
    must(config_set(config, CONFIG_CHANNELS, sandbox.channels, &err));
    ann = kit_desk("ann");
    bea = kit_desk("ann");
    cut_copy(bea->terminal, sizeof bea->terminal, "desk2");
    worker = kit_desk(NULL);
    must(operator_act_as_worker(worker, &err));
    return 0;
}

int code_kit_stop(void **state)
{
    desk_close(&ann);
    desk_close(&bea);
    desk_close(&worker);
    sandbox_stop(&sandbox);
    return kit_stop(state);
}

const char *next_phone(void)
{
    static char phone[16];
    static int next;
    fit_printf(phone, "1370000%04d", next++);
    return phone;
}

int64_t slot_and_order(const char *price, char number[NUMBER_BYTES])
{
    int64_t slot = kit_slot(1, price);
    cut_copy(number, NUMBER_BYTES, kit_order(ann, slot, next_phone()));
    return slot;
}

enum fd_code book(struct desk *desk, int64_t slot, const char *phone, char number[NUMBER_BYTES], struct fd_error *error)
{
    struct arena arena = {0};
    struct booking_line line = {.slot_id = slot, .quantity = 1, .seen_price_fen = -1};
    struct booking booking = {.phone = phone, .lines = &line, .line_count = 1};
    struct booked booked;
    enum fd_code code = booking_make(desk, NULL, &booking, &arena, &booked, error);
    if (code == FD_OK)
        cut_copy(number, NUMBER_BYTES, booked.orders[0].order_no);
    arena_release(&arena);
    return code;
}

void open_at(const char *number, enum channel_id channel, int64_t amount_fen, struct pay_code *code)
{
    must(code_open(ann, NULL, number, channel, amount_fen, code, &err));
}

const char *state_of(const char *number)
{
    return fixture_text(online, "SELECT status FROM reserve_order WHERE order_no = '%s'", number);
}

int64_t paid_of(const char *number)
{
    return fixture_int(online, "SELECT CAST(paid_amount * 100 AS SIGNED) FROM reserve_order WHERE order_no = '%s'",
                       number);
}

int64_t live_of(const char *number)
{
    return fixture_int(online, "SELECT live_codes FROM reserve_order WHERE order_no = '%s'", number);
}

const char *row_of(const struct pay_code *code)
{
    return fixture_text(online,
                        "SELECT CONCAT_WS('/', channel, status, amount, operator, terminal, receipt_no = '%s', "
                        "confirmed_at IS NOT NULL) FROM payment_record WHERE id = %lld",
                        code->receipt_no, (long long)code->payment_id);
}

int64_t cases_of(const char *number, const char *kind)
{
    return fixture_int(online,
                       "SELECT COALESCE(SUM(amount) * 100, 0) FROM money_case WHERE order_no = '%s' AND kind = '%s' "
                       "AND status = 'OPEN'",
                       number, kind);
}

void run_out(const char *number, int seconds)
{
    fixture_sql(online, "UPDATE reserve_order SET expire_time = NOW() - INTERVAL %d SECOND WHERE order_no = '%s'",
                seconds, number);
    fixture_sql(online,
                "UPDATE payment_record p JOIN pay_allocation a ON a.payment_id = p.id SET p.code_until = NOW() - "
                "INTERVAL %d SECOND WHERE a.order_no = '%s' AND p.status = 'CREATED'",
                seconds, number);
}

void customer_pays(const struct pay_code *code)
{
    sandbox_do(&sandbox, "pay %s", code->out_trade_no);
}

void ask_again(struct pay_code *code)
{
    fixture_sql(online, "UPDATE payment_record SET asked_at = NULL WHERE id = %lld", (long long)code->payment_id);
    must(code_poll(ann, code->payment_id, code, &err));
}

void bill_of(const char *first, const char *second, char bill[NUMBER_BYTES], char numbers[2][NUMBER_BYTES])
{
    struct arena arena = {0};
    struct booking_line lines[] = {{kit_slot(5, first), 1, -1}, {kit_slot(5, second), 1, -1}};
    struct booking booking = {.phone = next_phone(), .lines = lines, .line_count = 2};
    struct booked booked;
    must(booking_make(ann, NULL, &booking, &arena, &booked, &err));
    cut_copy(bill, NUMBER_BYTES, booked.bill_no);
    for (int i = 0; i < 2; i++)
        cut_copy(numbers[i], NUMBER_BYTES, booked.orders[i].order_no);
    arena_release(&arena);
}

struct channel_trade trade_of(const struct pay_code *code, int64_t amount_fen)
{
    struct channel_trade trade = {.state = TRADE_PAID, .amount_fen = amount_fen, .paid_at = WALL_NONE};
    static char raw[] = "{\"trade_state\":\"SUCCESS\"}";
    trade.raw = raw;
    fit_printf(trade.trade_no, "4200%s", code->out_trade_no);
    return trade;
}

void online_code(const char *number, const char *channel)
{
    fixture_sql(online,
                "INSERT INTO payment_record (order_no, channel, amount, status) VALUES ('%s', '%s', 80, 'CREATED')",
                number, channel);
}
