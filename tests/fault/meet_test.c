/* Two desks at one order in the same instant: payment and expiry, moves, cancels, changes of quantity, part payments, online
 * codes; one key from eight desks; places that run-out holds block. One wins or both add up, and stock, money and log
 * agree. */
#include "meet.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/token.h"
#include "sound.h"

/* Orders ------------------------------------------------------------------------------------------------ */

static void phone_for(size_t round, int who, char phone[PHONE_BYTES])
{
    static atomic_int count;
    (void)round;
    fit_printf_at(phone, PHONE_BYTES, "15%d%08d", who % 10, atomic_fetch_add(&count, 1));
}

static void book_into(struct desk *desk, int64_t slot, char number[NUMBER_BYTES], size_t round)
{
    struct fd_error err = {0};
    struct arena arena = {0};
    struct booking_line line;
    struct booked booked;
    char phone[PHONE_BYTES];
    phone_for(round, 0, phone);
    struct booking booking = hall_booking(&line, slot, phone);
    /* A failed assertion in a thread would jump out of it. */
    if (booking_make(desk, NULL, &booking, &arena, &booked, &err) != FD_OK) {
        fprintf(stderr, "cannot make ready: %s | %s\n", err.message, err.detail);
        abort();
    }
    cut_copy(number, NUMBER_BYTES, booked.orders[0].order_no);
    arena_release(&arena);
}

static void make_hold(struct desk *desk, struct meeting *meeting, size_t round)
{
    book_into(desk, meeting->slot, meeting->number, round);
}

/* Time to pay is over for all orders that wait: plain SQL of the test's, so that the worker may take them. */
DB_QUERY(q_run_out, "meet.run_out", DB_NONE,
         "UPDATE reserve_order SET expire_time = NOW() - INTERVAL 1 SECOND WHERE order_no = :number");

static void make_run_out(struct desk *desk, struct meeting *meeting, size_t round)
{
    struct fd_error err = {0};
    make_hold(desk, meeting, round);
    if (db_exec(desk->db, &q_run_out, DB_ARGS(db_text("number", meeting->number)), NULL, &err) ||
        db_commit(desk->db, &err))
        abort();
}


DB_QUERY(q_id, "meet.id", DB_VALUE, "SELECT id FROM reserve_order WHERE order_no = :number");

static enum fd_code expire_side(struct desk *desk, struct meeting *meeting, size_t round, struct fd_error *err)
{
    int64_t id;
    (void)round;
    enum fd_code code = db_value_int(desk->db, &q_id, DB_ARGS(db_text("number", meeting->number)), &id, err);
    db_rollback(desk->db);
    if (code == FD_OK)
        code = venue_expire(desk, id, &meeting->done[0], err);
    return code;
}

static enum fd_code pay_amount(struct desk *desk, const char *number, enum tender tender, int64_t fen,
                               struct fd_error *err)
{
    struct paid paid;
    struct payment payment = {
        .tender = tender, .amount_fen = fen, .reference = tender == TENDER_CASH ? NULL : "slip"};
    return pay_take(desk, NULL, number, &payment, &paid, err);
}

static enum fd_code pay_side(struct desk *desk, struct meeting *meeting, size_t round, struct fd_error *err)
{
    (void)round;
    return pay_amount(desk, meeting->number, TENDER_CASH, 0, err);
}

static bool is(const struct meeting *meeting, const char *state)
{
    return strcmp(hall_state(meeting->number), state) == 0;
}

static int64_t paid_fen(const struct meeting *meeting)
{
    return fixture_int(hall.db, "SELECT CAST(paid_amount * 100 AS SIGNED) FROM reserve_order WHERE order_no = '%s'",
                       meeting->number);
}

/* Payment and expiry -------------------------------------------------------------------------------------- */

static void judge_pay_expire(const struct meeting *meeting, size_t round, struct tally *tally)
{
    (void)round;
    bool expired = meeting->done[0], paid = meeting->done[1];
    if (paid && expired)
        meet_wrong(&tally->duplicates, meeting, "both won");
    else if (!paid && !expired)
        meet_wrong(&tally->lost, meeting, "nobody won");
    else if (!is(meeting, paid ? "PAID" : "CANCELLED"))
        meet_wrong(&tally->lost, meeting, "the winner's state is not there");
    if (paid_fen(meeting) != (paid ? 8000 : 0) || hall_remain(meeting->slot) != (paid ? 0 : 1))
        meet_wrong(&tally->broken, meeting, "money or stock");
}

static void payment_and_expiry_meet_and_one_wins(void **state)
{
    (void)state;
    int64_t expired, paid;
    struct meet meet = {"payment meets expiry", 1000, 1, {ROLE_WORKER, ROLE_CLERK}, make_run_out,
                        {expire_side, pay_side}, 0, judge_pay_expire};
    meet_run(&meet, &expired, &paid);
    /* Both must have won, or they did not meet. */
    assert_true(expired > 0 && paid > 0);
}

/* Payment and cancel -------------------------------------------------------------------------------------- */

static enum fd_code cancel_side(struct desk *desk, struct meeting *meeting, size_t round, struct fd_error *err)
{
    int64_t back;
    (void)round;
    return venue_cancel(desk, NULL, meeting->number, NULL, &back, err);
}

/* A cancel that comes second gives the cash back: then both are done. */
static void judge_pay_cancel(const struct meeting *meeting, size_t round, struct tally *tally)
{
    (void)round;
    bool cancelled = meeting->code[0] == FD_OK, paid = meeting->code[1] == FD_OK;
    const char *wanted = cancelled ? (paid ? "REFUNDED" : "CANCELLED") : "PAID";
    if (!cancelled && !paid)
        meet_wrong(&tally->lost, meeting, "nobody won");
    if (!is(meeting, wanted))
        meet_wrong(&tally->lost, meeting, "the state is another");
    if (paid_fen(meeting) != (cancelled ? 0 : 8000) || hall_remain(meeting->slot) != cancelled)
        meet_wrong(&tally->broken, meeting, "money or stock");
}

static void payment_and_cancel_meet(void **state)
{
    (void)state;
    struct meet meet = {"payment meets cancel", 300, 1, {ROLE_CLERK, ROLE_CLERK}, make_hold,
                        {cancel_side, pay_side}, 0, judge_pay_cancel};
    meet_run(&meet, NULL, NULL);
}

/* Moves --------------------------------------------------------------------------------------------------- */

static enum fd_code move_to(struct desk *desk, const char *number, int64_t slot, struct fd_error *err)
{
    return venue_move_with(desk, NULL, number, slot, &(struct venue_change){0}, NULL, err);
}

static int64_t place_of(const char *number)
{
    return fixture_int(hall.db, "SELECT schedule_id FROM reserve_order WHERE order_no = '%s'", number);
}

/* Two orders on one slot of two places, one place elsewhere: hall of the round is slot (2) and other (2, one closed off). */
static void make_two(struct desk *desk, struct meeting *meeting, size_t round)
{
    struct fd_error err = {0};
    struct arena arena = {0};
    struct booking_line line;
    struct booked booked;
    book_into(desk, meeting->slot, meeting->number, round);
    book_into(desk, meeting->slot, meeting->second, round);
    char phone[PHONE_BYTES];
    phone_for(round, 1, phone);
    struct booking booking = hall_booking(&line, meeting->other, phone);
    if (booking_make(desk, NULL, &booking, &arena, &booked, &err) != FD_OK)
        abort();
    arena_release(&arena);
}

static enum fd_code move_first(struct desk *desk, struct meeting *meeting, size_t round, struct fd_error *err)
{
    (void)round;
    return move_to(desk, meeting->number, meeting->other, err);
}

static enum fd_code move_second(struct desk *desk, struct meeting *meeting, size_t round, struct fd_error *err)
{
    (void)round;
    return move_to(desk, meeting->second, meeting->other, err);
}

static void judge_moves(const struct meeting *meeting, size_t round, struct tally *tally)
{
    (void)round;
    int moved = (place_of(meeting->number) == meeting->other) + (place_of(meeting->second) == meeting->other);
    int told = (meeting->code[0] == FD_OK) + (meeting->code[1] == FD_OK);
    if (told > 1)
        meet_wrong(&tally->duplicates, meeting, "both were told that they moved");
    if (told < 1 || moved != told)
        meet_wrong(&tally->lost, meeting, "what was told is not so");
    if (hall_remain(meeting->other) != 0 || hall_remain(meeting->slot) != 1)
        meet_wrong(&tally->broken, meeting, "stock");
}

static void two_moves_to_the_last_place_meet_and_one_wins(void **state)
{
    (void)state;
    int64_t first, second;
    struct meet meet = {"move meets move", 300, 2, {ROLE_CLERK, ROLE_CLERK}, make_two, {move_first, move_second}, -1,
                        judge_moves};
    meet_run(&meet, &first, &second);
    assert_true(first > 0 && second > 0);
}

static enum fd_code move_back(struct desk *desk, struct meeting *meeting, size_t round, struct fd_error *err)
{
    (void)round;
    return move_to(desk, meeting->number, meeting->slot, err);
}

/* One goes on while the other goes back: whoever comes first, it stands at one place and nowhere twice. */
static void judge_to_and_fro(const struct meeting *meeting, size_t round, struct tally *tally)
{
    (void)round;
    int64_t place = place_of(meeting->number);
    bool on = place == meeting->other, moved = meeting->code[0] == FD_OK, returned = meeting->code[1] == FD_OK;
    if (on != (moved && !returned) && !(moved && returned))
        meet_wrong(&tally->lost, meeting, "what was told is not so");
    if (hall_remain(meeting->other) != !on || hall_remain(meeting->slot) != on)
        meet_wrong(&tally->broken, meeting, "stock");
}

static void two_moves_of_one_order_meet(void **state)
{
    (void)state;
    struct meet meet = {"to meets fro", 300, 1, {ROLE_CLERK, ROLE_CLERK}, make_hold, {move_first, move_back}, 1,
                        judge_to_and_fro};
    meet_run(&meet, NULL, NULL);
}

static void judge_move_cancel(const struct meeting *meeting, size_t round, struct tally *tally)
{
    (void)round;
    if (meeting->code[0] != FD_OK || !is(meeting, "CANCELLED"))
        meet_wrong(&tally->lost, meeting, "the cancel is lost");
    if (meeting->code[1] != FD_OK && meeting->code[1] != FD_WRONG_STATE)
        meet_wrong(&tally->broken, meeting, "the move was told something else");
    if ((place_of(meeting->number) == meeting->other) != (meeting->code[1] == FD_OK))
        meet_wrong(&tally->lost, meeting, "the move is not as told");
    if (hall_remain(meeting->slot) != 1 || hall_remain(meeting->other) != 1)
        meet_wrong(&tally->broken, meeting, "stock");
}

static void move_and_cancel_meet(void **state)
{
    (void)state;
    int64_t first, second;
    struct meet meet = {"move meets cancel", 300, 1, {ROLE_CLERK, ROLE_CLERK}, make_hold, {cancel_side, move_first}, 0,
                        judge_move_cancel};
    meet_run(&meet, &first, &second);
    assert_true(first > 0);
}

/* Quantity and expiry ------------------------------------------------------------------------------------- */

static enum fd_code more_side(struct desk *desk, struct meeting *meeting, size_t round, struct fd_error *err)
{
    return venue_quantity_with(desk, NULL, meeting->number, 2 + (int64_t)(round % 3), &(struct venue_change){0}, NULL,
                               err);
}

static void judge_more_expire(const struct meeting *meeting, size_t round, struct tally *tally)
{
    (void)round;
    if (!meeting->done[0] || !is(meeting, "CANCELLED"))
        meet_wrong(&tally->lost, meeting, "the expiry is lost");
    if (meeting->code[1] != FD_OK && meeting->code[1] != FD_WRONG_STATE)
        meet_wrong(&tally->broken, meeting, "the change was told something else");
    if (hall_remain(meeting->slot) != 5)
        meet_wrong(&tally->broken, meeting, "stock");
}

static void quantity_and_expiry_meet(void **state)
{
    (void)state;
    int64_t first, second;
    struct meet meet = {"quantity meets expiry", 300, 5, {ROLE_WORKER, ROLE_CLERK}, make_run_out,
                        {expire_side, more_side}, 0, judge_more_expire};
    meet_run(&meet, &first, &second);
    assert_true(first > 0);
}

/* Part payments ------------------------------------------------------------------------------------------- */

static enum fd_code part_cash(struct desk *desk, struct meeting *meeting, size_t round, struct fd_error *err)
{
    return pay_amount(desk, meeting->number, TENDER_CASH, round % 2 ? 3000 : 5000, err);
}

static enum fd_code part_card(struct desk *desk, struct meeting *meeting, size_t round, struct fd_error *err)
{
    (void)round;
    return pay_amount(desk, meeting->number, TENDER_CARD, 5000, err);
}

/* 30 and 50 of 80 add up; of two times 50 one is too much. */
static void judge_parts(const struct meeting *meeting, size_t round, struct tally *tally)
{
    int told = (meeting->code[0] == FD_OK) + (meeting->code[1] == FD_OK);
    int64_t paid = paid_fen(meeting), wanted = round % 2 ? 8000 : 5000;
    if (told != (round % 2 ? 2 : 1) || paid < wanted)
        meet_wrong(&tally->lost, meeting, "a part is lost");
    if (paid > wanted)
        meet_wrong(&tally->duplicates, meeting, "more than the amount");
    if (!is(meeting, round % 2 ? "PAID" : "PENDING_PAY"))
        meet_wrong(&tally->broken, meeting, "state");
}

static void two_part_payments_add_up(void **state)
{
    (void)state;
    struct meet meet = {"part meets part", 300, 1, {ROLE_CLERK, ROLE_CLERK}, make_hold, {part_cash, part_card}, -1,
                        judge_parts};
    meet_run(&meet, NULL, NULL);
}

/* Online codes -------------------------------------------------------------------------------------------- */

DB_QUERY(q_open_code, "meet.open_code", DB_NONE,
         "UPDATE reserve_order SET live_codes = live_codes + 1, version = version + 1 WHERE order_no = :number "
         "AND status = 'PENDING_PAY'");

/* What the online system does before it calls the channel. */
static enum fd_code open_code(struct desk *desk, struct meeting *meeting, size_t round, struct fd_error *err)
{
    int64_t changed = 0;
    (void)round;
    enum fd_code code =
        db_exec(desk->db, &q_open_code, DB_ARGS(db_text("number", meeting->number)), &changed, err);
    if (code == FD_OK)
        code = db_commit(desk->db, err);
    db_rollback(desk->db);
    meeting->done[1] = changed == 1;
    return code;
}

static void judge_code(const struct meeting *meeting, size_t round, struct tally *tally)
{
    (void)round;
    if (meeting->done[0] && meeting->done[1])
        meet_wrong(&tally->duplicates, meeting, "expired under a live code");
    if (!meeting->done[0] && !meeting->done[1])
        meet_wrong(&tally->lost, meeting, "neither");
    if (hall_remain(meeting->slot) != meeting->done[0])
        meet_wrong(&tally->broken, meeting, "stock");
    fixture_sql(hall.db, "UPDATE reserve_order SET live_codes = 0 WHERE order_no = '%s'", meeting->number);
}

static void expiry_and_an_online_code_meet_and_one_wins(void **state)
{
    (void)state;
    struct meet meet = {"expiry meets a live code", 300, 1, {ROLE_WORKER, ROLE_CLERK}, make_run_out,
                        {expire_side, open_code}, 1, judge_code};
    meet_run(&meet, NULL, NULL);
}

/* Run-out holds without a worker ---------------------------------------------------------------------------- */

static enum fd_code book_over(struct desk *desk, struct meeting *meeting, size_t round, struct fd_error *err)
{
    struct arena arena = {0};
    struct booking_line line;
    struct booked booked;
    char phone[PHONE_BYTES];
    phone_for(round, 2, phone);
    struct booking booking = hall_booking(&line, meeting->slot, phone);
    enum fd_code code = booking_make(desk, NULL, &booking, &arena, &booked, err);
    arena_release(&arena);
    return code;
}

static void judge_book_over(const struct meeting *meeting, size_t round, struct tally *tally)
{
    (void)round;
    int told = (meeting->code[0] == FD_OK) + (meeting->code[1] == FD_OK);
    int64_t held = fixture_int(hall.db,
                               "SELECT COUNT(*) FROM reserve_order WHERE schedule_id = %" PRId64
                               " AND status = 'PENDING_PAY' AND order_no <> '%s'",
                               meeting->slot, meeting->number);
    if (told > 1 || held > 1)
        meet_wrong(&tally->duplicates, meeting, "two have the place");
    if (told < 1 || held < 1)
        meet_wrong(&tally->lost, meeting, "nobody got the place");
    if (!is(meeting, "CANCELLED") || hall_remain(meeting->slot) != 0)
        meet_wrong(&tally->broken, meeting, "the hold that ran out");
}

static void without_a_worker_a_run_out_hold_is_bookable_once(void **state)
{
    (void)state;
    int64_t first, second;
    struct meet meet = {"two at a run-out hold", 300, 1, {ROLE_CLERK, ROLE_CLERK}, make_run_out,
                        {book_over, book_over}, -1, judge_book_over};
    meet_run(&meet, &first, &second);
    assert_true(first > 0 && second > 0);
}

/* Q3: one key from eight desks ------------------------------------------------------------------------------ */

#define KEYS  300
#define DESKS 8

static struct {
    int64_t slots[KEYS];
    char number[KEYS][NUMBER_BYTES]; /* of an order that a third of the keys pays a part of */
    atomic_int ok, first, other, differs;
    char *answers[KEYS]; /* the first one met; the others are compared */
    atomic_int taken[KEYS];
} same;

static void compare(size_t key, const char *answer)
{
    char *mine = xstrdup(answer);
    int nobody = 0;
    if (atomic_compare_exchange_strong(&same.taken[key], &nobody, 1)) {
        same.answers[key] = mine;
        atomic_store(&same.taken[key], 2);
        return;
    }
    while (atomic_load(&same.taken[key]) != 2) {
    }
    atomic_fetch_add(&same.differs, strcmp(mine, same.answers[key]) != 0);
    free(mine);
}

static void press_book(struct desk *desk, size_t i, const char *note)
{
    struct fd_error err = {0};
    struct arena arena = {0};
    struct booking_line line;
    struct booked booked;
    char key[KEY_BYTES], phone[PHONE_BYTES];
    fit_printf(key, "same-%zu", i);
    fit_printf(phone, "159%08zu", i);
    struct booking booking = hall_booking(&line, same.slots[i], phone);
    booking.note = note;
    enum fd_code code = meet_told(booking_make(desk, key, &booking, &arena, &booked, &err), &err);
    atomic_fetch_add(&same.ok, code == FD_OK);
    atomic_fetch_add(&same.other, code == FD_KEY_REUSED);
    if (code == FD_OK) {
        atomic_fetch_add(&same.first, !booked.replayed);
        compare(i, booked.json);
    }
    arena_release(&arena);
}

static void press_pay(struct desk *desk, size_t i, int64_t fen)
{
    struct fd_error err = {0};
    struct paid paid;
    char key[KEY_BYTES];
    struct payment payment = {.tender = TENDER_CASH, .amount_fen = fen};
    fit_printf(key, "same-%zu", i);
    enum fd_code code = meet_told(pay_take(desk, key, same.number[i], &payment, &paid, &err), &err);
    atomic_fetch_add(&same.ok, code == FD_OK);
    atomic_fetch_add(&same.other, code == FD_KEY_REUSED);
    if (code == FD_OK)
        compare(i, paid.payment_no);
}

/* All in the same order, so that they meet. */
static void press_all(size_t index, void *arg)
{
    (void)arg;
    for (size_t i = 0; i < KEYS; i++) {
        if (i % 3 == 0)
            press_pay(meet_desk(index), i, 1000);
        else
            press_book(meet_desk(index), i, NULL);
    }
}

static void one_key_from_eight_desks_is_done_once(void **state)
{
    (void)state;
    struct tally tally = {.name = "Q3 one key from eight"};
    meet_slots(KEYS, 5, same.slots);
    for (size_t i = 0; i < KEYS; i += 3)
        book_into(meet_desk(0), same.slots[i], same.number[i], i);
    hall_threads(DESKS, press_all, NULL);
    tally.acked = atomic_load(&same.ok);
    tally.retries = KEYS * (DESKS - 1);
    int64_t orders = fixture_int(hall.db, "SELECT COUNT(*) FROM reserve_order WHERE schedule_id BETWEEN %" PRId64
                                          " AND %" PRId64, same.slots[0], same.slots[KEYS - 1]);
    int64_t parts = fixture_int(hall.db, "SELECT COUNT(*) FROM payment_record WHERE amount = 10");
    tally.duplicates = (orders > KEYS ? orders - KEYS : 0) + (parts > KEYS / 3 ? parts - KEYS / 3 : 0);
    tally.lost = (orders < KEYS ? KEYS - orders : 0) + (parts < KEYS / 3 ? KEYS / 3 - parts : 0);
    tally.broken = atomic_load(&same.differs) + (KEYS * DESKS - atomic_load(&same.ok));
    /* The same key with something else in it is refused and changes nothing. */
    for (size_t i = 0; i < KEYS; i++) {
        if (i % 3 == 0)
            press_pay(meet_desk(0), i, 1100);
        else
            press_book(meet_desk(0), i, "another note");
        free(same.answers[i]);
    }
    tally.broken += KEYS - atomic_load(&same.other) + sound_count(hall.db, tally.name, -1);
    tally_close(&tally);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(payment_and_expiry_meet_and_one_wins),
        cmocka_unit_test(payment_and_cancel_meet),
        cmocka_unit_test(two_moves_to_the_last_place_meet_and_one_wins),
        cmocka_unit_test(two_moves_of_one_order_meet),
        cmocka_unit_test(move_and_cancel_meet),
        cmocka_unit_test(quantity_and_expiry_meet),
        cmocka_unit_test(two_part_payments_add_up),
        cmocka_unit_test(expiry_and_an_online_code_meet_and_one_wins),
        cmocka_unit_test(without_a_worker_a_run_out_hold_is_bookable_once),
        cmocka_unit_test(one_key_from_eight_desks_is_done_once),
    };
    tally_filter();
    return cmocka_run_group_tests(tests, meet_start, meet_stop);
}
