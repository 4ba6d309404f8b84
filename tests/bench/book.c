/* A booking, ours and bare. What the bare client sends is what the program sends: which statements these
 * are is learned from the server's general log, their texts are the program's own. */
#include "bench/book.h"

#include <stdlib.h>
#include <string.h>
#include "core/param.h"

#define STEPS_MOST 16

/* Names of the program's queries in the order in which one booking sends them. */
static const char *steps[STEPS_MOST];
static int step_count, take_step;

struct bare_desk {
    struct bare *bare;
    int statements[STEPS_MOST]; /* by step */
    uint64_t seed;
    struct bare_value *key, *bill, *order_no, *entity_no, *who, *user, *slot, *take_slot, *schedule, *venue, *day,
        *start, *end;
};

/* The step sent as number `at`: the hot row's UPDATE is last in the best order (its lock is held for that one
 * statement and the COMMIT), right behind the read in the other. */
static int step_at(enum book_order order, int at)
{
    if (order == BEST_ORDER || at == 0)
        return at;
    return at == 1 ? take_step : at - 1;
}

static void take_step_name(const char *name)
{
    if (step_count == STEPS_MOST) {
        fprintf(stderr, "bench: a booking sends more than %d statements\n", STEPS_MOST);
        exit(99);
    }
    if (strcmp(name, "slot.take") == 0)
        take_step = step_count;
    steps[step_count++] = name;
}

void book_learn(struct bench *bench, const char *database, const struct booking_run *run)
{
    struct client client = {.desk = desk_signed_in(bench, database)};
    param_get(client.desk, PARAM_HOLD_MINUTES); /* read every few seconds: not a part of each booking */
    log_start(bench);
    book_ours(&client, 0, run);
    char *texts = log_stop(bench, db_connection_id(client.desk->db), "Prepare", 10000), *place = NULL;
    for (char *text = strtok_r(texts, "\n", &place); text; text = strtok_r(NULL, "\n", &place))
        take_step_name(query_name(text));
    if (step_count == 0 || take_step != step_count - 1) {
        fprintf(stderr, "bench: the place is not taken last\n");
        exit(99);
    }
    free(texts);
    desk_close(&client.desk);
    arena_release(&client.arena);
}

/* Answers and log rows as long as the program's. */
#define RESULT                                                                                                         \
    "{\"bill\":\"20261130BLXXXXXXXX\",\"orders\":[{\"order_no\":\"20261130VBXXXXXXXX\",\"slot\":12345,\"venue\":"      \
    "\"Court 01\",\"date\":\"2026-12-01\",\"start\":\"19:00\",\"end\":\"20:00\",\"quantity\":1,\"amount_fen\":4000,"   \
    "\"status\":\"PENDING_PAY\"}],\"total_fen\":4000,\"hold_until\":\"2026-11-30 19:15:00\"}"
#define LOGGED "{\"bill\":\"20261130BLXXXXXXXX\",\"line\":1,\"lines\":1,\"quantity\":1,\"price\":\"40.00\"}"
#define HASH   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void set_up_values(struct bench *bench, struct bare_desk *desk)
{
    struct bare *bare = desk->bare;
    char expire[WALL_TEXT];
    desk->key = bare_text(bare, "key", "");
    desk->bill = bare_text(bare, "bill", "");
    desk->order_no = bare_text(bare, "order_no", "");
    desk->entity_no = bare_text(bare, "entity_no", "");
    desk->who = bare_text(bare, "who", "");
    desk->user = bare_int(bare, "user", 0);
    desk->slot = bare_int(bare, "slot", 0);
    desk->take_slot = bare_int(bare, "id", 0);
    desk->schedule = bare_int(bare, "schedule", 0);
    desk->venue = bare_int(bare, "venue", 0);
    desk->day = bare_text(bare, "day", "");
    desk->start = bare_text(bare, "start", "");
    desk->end = bare_text(bare, "end", "");
    bare_int(bare, "quantity", 1);
    bare_int(bare, "dead", 120);
    bare_text(bare, "action", "order.book");
    bare_text(bare, "hash", HASH);
    bare_int(bare, "op.request:operator",
             fixture_int(bench->db, "SELECT id FROM operator_account WHERE name = 'bench'"));
    bare_text(bare, "operator", "bench");
    bare_text(bare, "result", RESULT);
    bare_text(bare, "terminal", "bench");
    bare_text(bare, "expire", wall_sql(wall_at(bench->today + 1, 0), expire));
    bare_decimal(bare, "total", "40.00");
    bare_decimal(bare, "price", "40.00");
    bare_decimal(bare, "amount", "40.00");
    bare_int(bare, "walk_in", 0);
    bare_text(bare, "note", NULL);
    bare_text(bare, "hold", "minutes");
    bare_text(bare, "run", NULL);
    bare_text(bare, "role", "clerk");
    bare_text(bare, "entity", "venue_order");
    bare_text(bare, "event", "book");
    bare_text(bare, "state_before", NULL);
    bare_text(bare, "state_after", "PENDING_PAY");
    bare_int(bare, "stock", -1);
    bare_text(bare, "reason", NULL);
    bare_text(bare, "before", NULL);
    bare_text(bare, "after", LOGGED);
}

struct bare_desk *bare_desk_new(struct bench *bench, const char *database)
{
    static uint64_t seeds = 0x9e3779b97f4a7c15u;
    struct bare_desk *desk = xcalloc(1, sizeof *desk);
    desk->bare = bare_on(bench, database);
    desk->seed = seeds += 0x9e3779b97f4a7c15u;
    set_up_values(bench, desk);
    for (int i = 0; i < step_count; i++)
        desk->statements[i] = bare_prepare(desk->bare, steps[i], query_text(steps[i]));
    return desk;
}

void bare_desk_free(struct bare_desk **desk)
{
    if (!*desk)
        return;
    bare_close(&(*desk)->bare);
    free(*desk);
    *desk = NULL;
}

struct bare *bare_desk_link(struct bare_desk *desk)
{
    return desk->bare;
}

/* Random as the program's numbers and keys are, so that both hit the unique indexes alike. */
static void random_text(struct bare_desk *desk, char *out, size_t count)
{
    static const char letters[] = "23456789ABCDEFGHJKMNPQRSTUVWXYZab";
    for (size_t i = 0; i < count; i++) {
        if (i % 12 == 0) {
            desk->seed ^= desk->seed << 13;
            desk->seed ^= desk->seed >> 7;
            desk->seed ^= desk->seed << 17;
        }
        out[i] = letters[desk->seed >> (5 * (i % 12)) & 31];
    }
    out[count] = '\0';
}

static int64_t slot_of(const struct booking_run *run, int64_t n)
{
    return run->first_slot + (run->from_slot + n) % run->slots;
}

static void set_slot(struct bare_desk *desk, const struct booking_run *run, int64_t slot)
{
    char text[16];
    int64_t at = slot - run->first_slot, hour = at % HOURS;
    bare_set_int(desk->slot, slot);
    bare_set_int(desk->take_slot, slot);
    bare_set_int(desk->schedule, slot);
    bare_set_int(desk->venue, at / HOURS % COURTS + 1);
    bare_set_text(desk->day, day_sql(run->first_day + (day_t)(at / DAY_SLOTS), text));
    snprintf(text, sizeof text, "%02d:00:00", (int)(FIRST_HOUR + hour));
    bare_set_text(desk->start, text);
    snprintf(text, sizeof text, "%02d:00:00", (int)(FIRST_HOUR + hour + 1));
    bare_set_text(desk->end, text);
}

static void set_numbers(struct bare_desk *desk, int64_t customer)
{
    char text[40];
    random_text(desk, text, 26);
    bare_set_text(desk->key, text);
    memcpy(text, "20261130BL", 10);
    random_text(desk, text + 10, 8);
    bare_set_text(desk->bill, text);
    memcpy(text, "20261130VB", 10);
    random_text(desk, text + 10, 8);
    bare_set_text(desk->order_no, text);
    bare_set_text(desk->entity_no, text);
    customer_phone(customer, text);
    bare_set_text(desk->who, text);
    bare_set_int(desk->user, customer_id(customer));
}

/* 1 booked, 0 refused (column 9 of the first read is remain_count), -1 run it again. */
static int book_once(struct bare_desk *desk, enum book_order order)
{
    for (int at = 0; at < step_count; at++) {
        int step = step_at(order, at);
        int64_t count = bare_run(desk->bare, desk->statements[step]);
        if (count < 0)
            return -1;
        if (count == 0 || (step == 0 && bare_column_int(desk->bare, desk->statements[0], 9) == 0)) {
            bare_rollback(desk->bare);
            return 0;
        }
    }
    bare_commit(desk->bare);
    return 1;
}

void book_bare(struct client *client, int64_t n, const void *arg)
{
    const struct booking_run *run = arg;
    int answer;
    set_slot(client->bare, run, slot_of(run, n));
    set_numbers(client->bare, run->first_customer + n);
    while ((answer = book_once(client->bare, run->order)) < 0)
        client->again++;
    client->confirmed += answer;
    client->refused += !answer;
}

void take_bare(struct client *client, int64_t n, const void *arg)
{
    const struct booking_run *run = arg;
    struct bare_desk *desk = client->bare;
    set_slot(desk, run, slot_of(run, n));
    bool taken = bare_run(desk->bare, desk->statements[take_step]) == 1;
    if (taken)
        bare_commit(desk->bare);
    else
        bare_rollback(desk->bare);
    client->confirmed += taken;
    client->refused += !taken;
}

void book_ours(struct client *client, int64_t n, const void *arg)
{
    const struct booking_run *run = arg;
    struct fd_error err;
    struct booked booked;
    char key[KEY_BYTES], phone[16];
    struct booking_line line = {.slot_id = slot_of(run, n), .quantity = 1, .seen_price_fen = PRICE_FEN};
    customer_phone(run->first_customer + n, phone);
    struct booking booking = {.phone = phone, .lines = &line, .line_count = 1, .hold = HOLD_MINUTES};
    key_new(key);
    enum fd_code code = booking_make(client->desk, key, &booking, &client->arena, &booked, &err);
    if (code != FD_OK && code != FD_SLOT_TAKEN)
        bench_die("booking_make", &err);
    client->confirmed += code == FD_OK;
    client->refused += code != FD_OK;
    arena_reset(&client->arena);
}
