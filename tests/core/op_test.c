/* The runner: keys, permission, log, retries, the queue of hot rows; order_fire on the real venue order. */
#include "core/kit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/op.h"
#include "core/order.h"
#include "core/param.h"
#include "core/rule.h"
#include "support/proxy.h"
#include "venue/booking.h"

DB_QUERY(q_effect, "op_test.effect", DB_NONE, "INSERT INTO test_effect (request_key) VALUES (:key)");
DB_QUERY(q_bump, "op_test.bump", DB_NONE, "UPDATE test_stock SET n = n - :n WHERE id = :id AND n >= :n");
DB_QUERY(q_pair, "op_test.pair", DB_NONE, "UPDATE test_stock SET n = n + 1 WHERE id = :id");

static struct desk *ann;

static int start(void **state)
{
    kit_start(state);
    fixture_sql(online,
                "CREATE TABLE test_effect (id INT AUTO_INCREMENT PRIMARY KEY, request_key VARCHAR(64) NOT NULL)");
    fixture_sql(online, "CREATE TABLE test_stock (id INT PRIMARY KEY, n INT NOT NULL)");
    fixture_sql(online, "INSERT INTO test_stock VALUES (1, 100), (2, 100), (3, 0)");
    fixture_sql(online, "INSERT INTO role_action (role, action) VALUES ('clerk', 'test.do'), ('admin', 'test.admin')");
    ann = kit_desk("ann");
    return 0;
}

static int stop(void **state)
{
    desk_close(&ann);
    return kit_stop(state);
}

/* An action with one effect and one log row; `times` counts how often apply ran. */
struct act {
    int times, retries, last_slot;
    const char *refusal;
    bool late_result;
};

static enum fd_code prepare(struct op *op, void *arg, struct fd_error *e)
{
    struct act *act = arg;
    if (act->refusal)
        return fd_fail(e, FD_SLOT_TAKEN, "%s", act->refusal);
    if (!act->late_result)
        op_result(op, "early");
    return FD_OK;
}

static enum fd_code none_left(struct op *op, void *arg, struct fd_error *e)
{
    (void)op;
    (void)arg;
    return fd_fail(e, FD_SLOT_TAKEN, NULL);
}

static enum fd_code apply(struct op *op, void *arg, struct fd_error *e)
{
    struct act *act = arg;
    act->times++;
    enum fd_code code = db_exec(op_db(op), &q_effect, DB_ARGS(db_text("key", op_key(op))), NULL, e);
    if (code != FD_OK)
        return code;
    op_log(op, &(struct log_entry){.entity = "test", .entity_no = "1", .event = "do", .after = "{\"n\":1}"});
    if (act->retries-- > 0)
        return fd_fail(e, FD_RETRY, NULL);
    if (act->late_result)
        op_result(op, "late");
    if (act->last_slot)
        op_last(op, act->last_slot, &q_bump, DB_ARGS(db_int("n", 1), db_int("id", act->last_slot)), none_left, NULL);
    return FD_OK;
}

static struct op_spec spec_of(const char *key, const char *content)
{
    return (struct op_spec){
        .action = "test.do", .key = key, .content = content, .reason = "because", .prepare = prepare, .apply = apply};
}

static int64_t effects(const char *key)
{
    return fixture_int(online, "SELECT COUNT(*) FROM test_effect WHERE request_key = '%s'", key);
}

static int64_t logs(const char *key)
{
    return fixture_int(online, "SELECT COUNT(*) FROM operation_log WHERE request_key = '%s'", key);
}

static void an_action_leaves_effect_key_and_log(void **state)
{
    (void)state;
    struct act act = {0};
    char *result = NULL;
    bool replayed = true;
    struct op_spec spec = spec_of("first", "x");
    must(op_run(ann, &spec, &act, &result, &replayed, &err));
    assert_string_equal(result, "early");
    assert_false(replayed);
    assert_int_equal(effects("first"), 1);
    assert_int_equal(logs("first"), 1);
    assert_string_equal(
        fixture_text(online,
                     "SELECT CONCAT_WS('/', operator, role, terminal, action, entity, event, reason, after_values) "
                     "FROM operation_log WHERE request_key = 'first'"),
        "ann/clerk/desk1/test.do/test/do/because/{\"n\":1}");
    free(result);
}

static void the_same_key_gives_the_first_answer(void **state)
{
    (void)state;
    struct act act = {.late_result = true};
    char *result = NULL;
    bool replayed = false;
    struct op_spec spec = spec_of("twice", "x");
    must(op_run(ann, &spec, &act, &result, NULL, &err));
    assert_string_equal(result, "late");
    free(result);
    /* The replay must not even ask whether the place is still there: it is the one that we took. */
    act.refusal = "sold out";
    must(op_run(ann, &spec, &act, &result, &replayed, &err));
    assert_string_equal(result, "late");
    assert_true(replayed);
    assert_int_equal(act.times, 1);
    assert_int_equal(effects("twice"), 1);
    free(result);
}

static void a_key_for_other_content_is_refused(void **state)
{
    (void)state;
    struct act act = {0};
    struct op_spec spec = spec_of("reused", "x");
    must(op_run(ann, &spec, &act, NULL, NULL, &err));
    spec.content = "y";
    must_give(FD_KEY_REUSED, op_run(ann, &spec, &act, NULL, NULL, &err));
    assert_int_equal(effects("reused"), 1);
    struct desk *boss = kit_desk("boss");
    spec.content = "x";
    spec.action = "test.admin";
    must_give(FD_KEY_REUSED, op_run(boss, &spec, &act, NULL, NULL, &err));
    desk_close(&boss);
}

static void a_refusal_is_not_stored(void **state)
{
    (void)state;
    struct act act = {.refusal = "sold out"};
    struct op_spec spec = spec_of("refused", "x");
    must_give(FD_SLOT_TAKEN, op_run(ann, &spec, &act, NULL, NULL, &err));
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM op_request WHERE request_key = 'refused'"), 0);
    act.refusal = NULL;
    act.last_slot = 3;
    must_give(FD_SLOT_TAKEN, op_run(ann, &spec, &act, NULL, NULL, &err));
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM op_request WHERE request_key = 'refused'"), 0);
    assert_int_equal(effects("refused"), 0);
    act.last_slot = 1;
    must(op_run(ann, &spec, &act, NULL, NULL, &err));
}

static void permission_is_asked_inside_the_transaction(void **state)
{
    (void)state;
    struct act act = {0};
    struct desk *fin = kit_desk("fin"), *nobody = kit_desk(NULL);
    struct op_spec spec = spec_of("permission", "x");
    must_give(FD_NO_PERMISSION, op_run(fin, &spec, &act, NULL, NULL, &err));
    must_give(FD_SIGN_IN, op_run(nobody, &spec, &act, NULL, NULL, &err));
    fixture_sql(online, "UPDATE operator_account SET disabled = 1 WHERE name = 'ann'");
    must_give(FD_LOCKED, op_run(ann, &spec, &act, NULL, NULL, &err));
    fixture_sql(online, "UPDATE operator_account SET disabled = 0, role = 'finance' WHERE name = 'ann'");
    must_give(FD_NO_PERMISSION, op_run(ann, &spec, &act, NULL, NULL, &err));
    fixture_sql(online, "UPDATE operator_account SET role = 'clerk' WHERE name = 'ann'");
    assert_int_equal(act.times, 0);
    desk_close(&fin);
    desk_close(&nobody);
}

static void keys_must_fit_the_column(void **state)
{
    (void)state;
    struct act act = {0};
    static const char *const bad[] = {"1234567890123456789012345678901234567890123456789", "has blank", "tab\t", "钥匙",
                                      "\x7f"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct op_spec spec = spec_of(bad[i], "x");
        must_give(FD_BAD_INPUT, op_run(ann, &spec, &act, NULL, NULL, &err));
        assert_non_null(strstr(err.message, "--key"));
    }
    struct op_spec spec = spec_of("123456789012345678901234567890123456789012345678", "x");
    must(op_run(ann, &spec, &act, NULL, NULL, &err));
    spec.key = NULL;
    must(op_run(ann, &spec, &act, NULL, NULL, &err));
    must(op_run(ann, &spec, &act, NULL, NULL, &err));
    assert_int_equal(act.times, 3);
}

static void a_run_that_changed_meanwhile_starts_clean(void **state)
{
    (void)state;
    struct act act = {.retries = 3};
    struct op_spec spec = spec_of("again", "x");
    must(op_run(ann, &spec, &act, NULL, NULL, &err));
    assert_int_equal(act.times, 4);
    assert_int_equal(effects("again"), 1);
    assert_int_equal(logs("again"), 1);
    act.retries = 1000;
    spec.key = "for-ever";
    must_give(FD_AGAIN, op_run(ann, &spec, &act, NULL, NULL, &err));
    assert_int_equal(effects("for-ever"), 0);
}

struct crowd {
    pthread_mutex_t mutex;
    int done, replayed, failed;
};

static void press_enter(struct desk *desk, int index, void *arg)
{
    struct crowd *crowd = arg;
    struct act act = {.last_slot = 2};
    struct fd_error local = {0};
    bool replayed = false;
    char *result = NULL;
    (void)index;
    struct op_spec spec = spec_of("eight", "x");
    enum fd_code code = op_run(desk, &spec, &act, &result, &replayed, &local);
    pthread_mutex_lock(&crowd->mutex);
    crowd->done += code == FD_OK && strcmp(result, "early") == 0;
    crowd->replayed += code == FD_OK && replayed;
    crowd->failed += code != FD_OK;
    if (code != FD_OK)
        print_message("%s %s\n", local.message, local.detail);
    pthread_mutex_unlock(&crowd->mutex);
    free(result);
}

static void eight_presses_of_one_key_are_one_action(void **state)
{
    (void)state;
    struct crowd crowd = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    kit_threads(8, "ann", press_enter, &crowd);
    assert_int_equal(crowd.failed, 0);
    assert_int_equal(crowd.done, 8);
    assert_int_equal(crowd.replayed, 7);
    assert_int_equal(effects("eight"), 1);
    assert_int_equal(fixture_int(online, "SELECT n FROM test_stock WHERE id = 2"), 99);
}

/* Two hot rows queued in opposite order: the queue sorts them, so nobody deadlocks. */
static enum fd_code queue_two(struct op *op, void *arg, struct fd_error *e)
{
    (void)e;
    int first = *(int *)arg ? 1 : 2;
    op_last(op, first, &q_pair, DB_ARGS(db_int("id", first)), NULL, NULL);
    op_last(op, 3 - first, &q_pair, DB_ARGS(db_int("id", 3 - first)), NULL, NULL);
    return FD_OK;
}

static void hammer_two(struct desk *desk, int index, void *arg)
{
    struct crowd *crowd = arg;
    int side = index % 2;
    struct op_spec spec = {.action = "test.do", .apply = queue_two};
    for (int i = 0; i < 30; i++) {
        struct fd_error local = {0};
        enum fd_code code = op_run(desk, &spec, &side, NULL, NULL, &local);
        pthread_mutex_lock(&crowd->mutex);
        crowd->failed += code != FD_OK;
        pthread_mutex_unlock(&crowd->mutex);
    }
}

static void hot_rows_are_locked_in_one_order(void **state)
{
    (void)state;
    struct crowd crowd = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    int64_t before = fixture_int(online, "SELECT n FROM test_stock WHERE id = 1");
    int64_t deadlocks =
        fixture_int(online, "SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'lock_deadlocks'");
    kit_threads(4, "ann", hammer_two, &crowd);
    assert_int_equal(crowd.failed, 0);
    assert_int_equal(fixture_int(online, "SELECT n FROM test_stock WHERE id = 1"), before + 120);
    assert_int_equal(
        fixture_int(online, "SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'lock_deadlocks'"),
        deadlocks);
}

/* The link to the server breaks in the middle of COMMIT, on either side of it: the action is done once, and says so. */
static void a_commit_cut_in_the_middle_is_done_once(void **state)
{
    (void)state;
    struct proxy proxy;
    struct desk *desk = NULL;
    char socket[200];
    static const char *const keys[] = {"cut-before", "cut-after"};
    fit_printf(socket, "%s.cut", fixture.server.socket);
    proxy_start(&proxy, socket, fixture.server.socket);
    struct db_target target = fixture_target(&fixture);
    target.socket = socket;
    must(desk_open_at(config, &target, &desk, &err));
    desk->operator_id = ann->operator_id;
    desk->role = ann->role;
    cut_copy(desk->operator, sizeof desk->operator, ann->operator);
    for (int i = 0; i < 2; i++) {
        struct act act = {.last_slot = 1};
        int64_t before = fixture_int(online, "SELECT n FROM test_stock WHERE id = 1");
        char *result = NULL;
        bool replayed = false;
        proxy_reset(&proxy);
        param_refresh(desk);
        atomic_store(i ? &proxy.control->cut_after : &proxy.control->cut_before, 1);
        struct op_spec spec = spec_of(keys[i], "x");
        must(op_run(desk, &spec, &act, &result, &replayed, &err));
        assert_string_equal(result, "early");
        assert_int_equal(replayed, i);
        assert_int_equal(effects(keys[i]), 1);
        assert_int_equal(logs(keys[i]), 1);
        assert_int_equal(fixture_int(online, "SELECT n FROM test_stock WHERE id = 1"), before - 1);
        free(result);
    }
    desk_close(&desk);
    proxy_stop(&proxy);
}

/* order_fire ------------------------------------------------------------------------------------------------------ */

struct firing {
    const char *number, *event;
    void (*between)(const char *number); /* what another writer does after the order was read */
};

static enum fd_code fire_apply(struct op *op, void *arg, struct fd_error *e)
{
    struct firing *firing = arg;
    struct order *order;
    struct order_set set;
    enum fd_code code = order_find(op_db(op), firing->number, op_arena(op), &order, e);
    if (code != FD_OK)
        return code;
    if (firing->between)
        firing->between(firing->number);
    firing->between = NULL;
    order_set_keep(order, &set);
    return order_fire(op, order, firing->event, &set, e);
}

static enum fd_code fire(struct desk *desk, struct firing *firing)
{
    struct op_spec spec = {.action = "test.do", .apply = fire_apply};
    return op_run(desk, &spec, firing, NULL, NULL, &err);
}

static void paid_online(const char *number)
{
    fixture_sql(online, "UPDATE reserve_order SET status = 'PAID', paid_time = NOW() WHERE order_no = '%s'", number);
}

static void noted_online(const char *number)
{
    fixture_sql(online, "UPDATE reserve_order SET total_amount = total_amount + 1 WHERE order_no = '%s'", number);
}

static void a_state_changed_by_others_is_named(void **state)
{
    (void)state;
    const char *number = kit_order(ann, kit_slot(5, "80.00"), "13800000001");
    struct firing firing = {.number = number, .event = "cancel", .between = paid_online};
    must_give(FD_WRONG_STATE, fire(ann, &firing));
    assert_non_null(strstr(err.message, "paid"));
    assert_non_null(strstr(err.message, "online"));
    assert_string_equal(fixture_text(online, "SELECT status FROM reserve_order WHERE order_no = '%s'", number), "PAID");
}

static void a_value_changed_by_others_runs_again(void **state)
{
    (void)state;
    const char *number = kit_order(ann, kit_slot(5, "80.00"), "13800000002");
    struct firing firing = {.number = number, .event = "cancel", .between = noted_online};
    must(fire(ann, &firing));
    assert_string_equal(fixture_text(online, "SELECT status FROM reserve_order WHERE order_no = '%s'", number),
                        "CANCELLED");
    assert_int_equal(
        fixture_int(online,
                    "SELECT s.remain_count FROM venue_schedule s JOIN reserve_order o ON o.schedule_id = s.id "
                    "WHERE o.order_no = '%s'",
                    number),
        5);
    assert_string_equal(
        fixture_text(online,
                     "SELECT CONCAT_WS('/', state_before, state_after, stock_change, operator) FROM operation_log "
                     "WHERE entity_no = '%s' AND event = 'cancel'",
                     number),
        "PENDING_PAY/CANCELLED/1/ann");
}

static void rules_and_actors_are_asked_first(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    cut_copy(number, sizeof number, kit_order(ann, kit_slot(5, "80.00"), "13800000003"));
    struct firing firing = {.number = number, .event = "refund_ok"};
    must_give(FD_WRONG_STATE, fire(ann, &firing));
    assert_non_null(strstr(err.message, "Ms ann"));
    firing.event = "expire";
    must_give(FD_TOO_EARLY, fire(ann, &firing));
    paid_online(number);
    firing.event = "miss";
    must_give(FD_NO_PERMISSION, fire(ann, &firing));
}

static void numbers_are_found_by_what_people_say(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], lower[NUMBER_BYTES], id[32];
    struct arena arena = {0};
    struct order *order;
    cut_copy(number, sizeof number, kit_order(ann, kit_slot(5, "80.00"), "13800000004"));
    cut_copy(lower, sizeof lower, number + strlen(number) - 6);
    for (char *at = lower; *at; at++)
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at);
    must(order_find(ann->db, number, &arena, &order, &err));
    must(order_find(ann->db, lower, &arena, &order, &err));
    assert_string_equal(order->order_no, number);
    fit_printf(id, "#%lld", (long long)order->id);
    must(order_find(ann->db, id, &arena, &order, &err));
    assert_string_equal(order->order_no, number);
    must_give(FD_NOT_FOUND, order_find(ann->db, "zz", &arena, &order, &err));
    must_give(FD_NOT_FOUND, order_find(ann->db, "%%%%", &arena, &order, &err));
    must_give(FD_NOT_FOUND, order_find(ann->db, "____", &arena, &order, &err));
    must_give(FD_NOT_FOUND, order_find(ann->db, "' OR 1=1 --", &arena, &order, &err));
    must_give(FD_NOT_FOUND, order_find(ann->db, NULL, &arena, &order, &err));
    fixture_sql(
        online,
        "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, end_time, "
        "total_amount) "
        "SELECT CONCAT('ONLINE-', RIGHT(order_no, 6)), user_id + 1, venue_id, schedule_id, schedule_date, start_time, "
        "end_time, total_amount FROM reserve_order WHERE order_no = '%s'",
        number);
    must_give(FD_AMBIGUOUS, order_find(ann->db, lower, &arena, &order, &err));
    assert_non_null(strstr(err.message, "ONLINE-"));
    db_rollback(ann->db);
    arena_release(&arena);
}

static void the_story_tells_ours_and_theirs(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct arena arena = {0};
    struct story_row *rows;
    size_t count;
    cut_copy(number, sizeof number, kit_order(ann, kit_slot(5, "80.00"), "13800000005"));
    noted_online(number);
    paid_online(number);
    must(order_story(ann->db, "venue_order", number, &arena, &rows, &count, &err));
    db_rollback(ann->db);
    assert_int_equal(count, 3);
    assert_string_equal(rows[0].event, "book");
    assert_string_equal(rows[0].who, "Ms ann");
    assert_true(rows[2].online);
    assert_string_equal(rows[2].state_after, "PAID");
    assert_non_null(strstr(rows[1].text, "amount 80.00 → 81.00"));
    arena_release(&arena);
}

static void changed_rules_are_refused_at_start(void **state)
{
    (void)state;
    struct db *db = fixture_open(&fixture);
    must(rules_check(db, &err));
    fixture_sql(online, "UPDATE state_rule SET to_state = 'PAID' WHERE from_state = 'PAID' AND event = 'miss'");
    must_give(FD_SCHEMA, rules_check(db, &err));
    must(rules_load(db, &err));
    must(rules_check(db, &err));
    fixture_sql(online, "UPDATE state_rule_version SET version = version + 1");
    must_give(FD_SCHEMA, rules_check(db, &err));
    must(rules_load(db, &err));
    db_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_action_leaves_effect_key_and_log),
        cmocka_unit_test(the_same_key_gives_the_first_answer),
        cmocka_unit_test(a_key_for_other_content_is_refused),
        cmocka_unit_test(a_refusal_is_not_stored),
        cmocka_unit_test(permission_is_asked_inside_the_transaction),
        cmocka_unit_test(keys_must_fit_the_column),
        cmocka_unit_test(a_run_that_changed_meanwhile_starts_clean),
        cmocka_unit_test(eight_presses_of_one_key_are_one_action),
        cmocka_unit_test(hot_rows_are_locked_in_one_order),
        cmocka_unit_test(a_commit_cut_in_the_middle_is_done_once),
        cmocka_unit_test(a_state_changed_by_others_is_named),
        cmocka_unit_test(a_value_changed_by_others_runs_again),
        cmocka_unit_test(rules_and_actors_are_asked_first),
        cmocka_unit_test(numbers_are_found_by_what_people_say),
        cmocka_unit_test(the_story_tells_ours_and_theirs),
        cmocka_unit_test(changed_rules_are_refused_at_start),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
