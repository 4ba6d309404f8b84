/* Operators and sign-in, parameters, customers, the log, default permissions. */
#include "core/kit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/action.h"
#include "core/customer.h"
#include "core/logbook.h"
#include "core/operator.h"
#include "core/param.h"
#include "core/password.h"

static struct desk *boss, *ann;

static int start(void **state)
{
    kit_start(state);
    boss = kit_desk("boss");
    ann = kit_desk("ann");
    return 0;
}

static int stop(void **state)
{
    desk_close(&boss);
    desk_close(&ann);
    return kit_stop(state);
}

static void make(const char *name, const char *password)
{
    const struct operator_new who = {.name = name, .label = "Li Min", .role = ROLE_CLERK, .password = password};
    must(operator_add(boss, NULL, &who, &err));
}

static void the_right_password_signs_in(void **state)
{
    (void)state;
    struct desk *desk = kit_desk(NULL);
    make("min", "secret one");
    must(operator_sign_in(desk, "min", "secret one", &err));
    assert_string_equal(desk->operator, "min");
    assert_string_equal(desk->operator_label, "Li Min");
    assert_true(desk->role == ROLE_CLERK);
    must_give(FD_SIGN_IN, operator_sign_in(desk, "min", "secret two", &err));
    assert_int_equal(desk->operator_id, 0);
    must_give(FD_SIGN_IN, operator_sign_in(desk, "MIN", "secret one", &err));
    must_give(FD_SIGN_IN, operator_sign_in(desk, "nobody", "secret one", &err));
    must_give(FD_SIGN_IN, operator_sign_in(desk, "worker", "", &err));
    must_give(FD_SIGN_IN, operator_sign_in(desk, "ann", "", &err));
    assert_int_equal(fixture_int(online,
                                 "SELECT COUNT(*) FROM operation_log WHERE entity = 'operator' AND entity_no = 'min' "
                                 "AND event IN ('sign_in', 'sign_in_wrong')"),
                     2);
    assert_int_equal(
        fixture_int(online, "SELECT COUNT(*) FROM operator_account WHERE password_hash LIKE '$y$%%' AND name = 'min'"),
        1);
    desk_close(&desk);
}

static void the_sixth_try_is_refused_wherever_it_comes_from(void **state)
{
    (void)state;
    struct desk *here = kit_desk(NULL), *there = kit_desk(NULL);
    make("lock", "right");
    for (int i = 0; i < 4; i++)
        must_give(FD_SIGN_IN, operator_sign_in(i % 2 ? here : there, "lock", "wrong", &err));
    must_give(FD_LOCKED, operator_sign_in(here, "lock", "wrong", &err));
    must_give(FD_LOCKED, operator_sign_in(there, "lock", "right", &err));
    assert_int_equal(there->operator_id, 0);
    must(operator_unlock(boss, NULL, "lock", &err));
    must(operator_sign_in(there, "lock", "right", &err));
    desk_close(&here);
    desk_close(&there);
}

static void a_right_password_forgives_the_wrong_ones(void **state)
{
    (void)state;
    struct desk *desk = kit_desk(NULL);
    make("forgive", "right");
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++)
            must_give(FD_SIGN_IN, operator_sign_in(desk, "forgive", "wrong", &err));
        must(operator_sign_in(desk, "forgive", "right", &err));
    }
    assert_int_equal(fixture_int(online, "SELECT failed_count FROM operator_account WHERE name = 'forgive'"), 0);
    desk_close(&desk);
}

static void a_disabled_operator_stays_out(void **state)
{
    (void)state;
    struct desk *desk = kit_desk(NULL);
    make("out", "right");
    must(operator_disable(boss, NULL, "out", true, "left", &err));
    must_give(FD_SIGN_IN, operator_sign_in(desk, "out", "wrong", &err));
    must_give(FD_LOCKED, operator_sign_in(desk, "out", "right", &err));
    must(operator_disable(boss, NULL, "out", false, NULL, &err));
    must(operator_sign_in(desk, "out", "right", &err));
    desk_close(&desk);
}

static void one_administrator_always_stays(void **state)
{
    (void)state;
    must_give(FD_REFUSED, operator_disable(boss, NULL, "boss", true, NULL, &err));
    must_give(FD_NOT_FOUND, operator_disable(boss, NULL, "ghost", true, NULL, &err));
    must_give(FD_NOT_FOUND, operator_unlock(boss, NULL, "worker", &err));
    must_give(FD_NO_PERMISSION, operator_disable(ann, NULL, "boss", true, NULL, &err));
}

static void names_and_passwords_are_checked(void **state)
{
    (void)state;
    struct operator_new who = {.name = "ok", .role = ROLE_CLERK, .password = "demo"};
    static const char *const bad[] = {"", "Ann", "a b", "123456789012345678901234567890123", "老板", NULL};
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct operator_new wrong = {.name = bad[i], .role = ROLE_CLERK, .password = "demo"};
        must_give(FD_BAD_INPUT, operator_add(boss, NULL, &wrong, &err));
    }
    who.password = "abc";
    must_give(FD_BAD_INPUT, operator_add(boss, NULL, &who, &err));
    who.password = "demo";
    who.role = ROLE_WORKER;
    must_give(FD_BAD_INPUT, operator_add(boss, NULL, &who, &err));
    who.role = ROLE_CLERK;
    must(operator_add(boss, "k-ok", &who, &err));
    must(operator_add(boss, "k-ok", &who, &err));
    must_give(FD_EXISTS, operator_add(boss, NULL, &who, &err));
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM operator_account WHERE name = 'ok'"), 1);
    must(operator_password(ann, NULL, "ann", "my own", &err));
    must_give(FD_NO_PERMISSION, operator_password(ann, NULL, "boss", "my own", &err));
}

static bool matches(const char *password, const char *hash)
{
    bool right = true;
    must(password_check(password, hash, &right, &err));
    return right;
}

#if !defined(__SANITIZE_ADDRESS__)
/* Where crypt finds no memory nothing was compared: it is neither a wrong password nor counted as one. */
static void no_memory_is_no_wrong_password(void **state)
{
    (void)state;
    make("poor", "secret");
    struct desk *desk = kit_desk(NULL);
    must(operator_sign_in(desk, "poor", "secret", &err));
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_true(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    struct rlimit was, low;
    getrlimit(RLIMIT_AS, &was);
    low = was;
    low.rlim_cur = pages * (unsigned long)sysconf(_SC_PAGESIZE) + (1 << 20); /* for the rest, not for crypt's 4 MiB */
    setrlimit(RLIMIT_AS, &low);
    enum fd_code code = operator_sign_in(desk, "poor", "secret", &err);
    setrlimit(RLIMIT_AS, &was);
    must_give(FD_NO_MEMORY, code);
    assert_int_equal(fixture_int(online, "SELECT failed_count FROM operator_account WHERE name = 'poor'"), 0);
    must(operator_sign_in(desk, "poor", "secret", &err));
    desk_close(&desk);
}
#endif

static void an_unknown_name_takes_as_long(void **state)
{
    (void)state;
    char hash[PASSWORD_HASH_BYTES];
    must(password_hash("secret", hash, &err));
    int64_t began = mono_us();
    assert_true(matches("secret", hash));
    int64_t known = mono_us() - began;
    began = mono_us();
    assert_false(matches("secret", NULL));
    int64_t unknown = mono_us() - began;
    assert_false(matches("other", hash));
    assert_false(matches("secret", "*0"));
    assert_true(unknown > known / 4);
}

static void parameters_have_limits_and_a_log(void **state)
{
    (void)state;
    assert_int_equal(param_get(boss, PARAM_HOLD_MINUTES), 15);
    must(param_set(boss, NULL, PARAM_HOLD_MINUTES, 20, "busy day", &err));
    assert_int_equal(param_get(boss, PARAM_HOLD_MINUTES), 20);
    must_give(FD_BAD_INPUT, param_set(boss, NULL, PARAM_HOLD_MINUTES, 0, NULL, &err));
    must_give(FD_NO_PERMISSION, param_set(ann, NULL, PARAM_HOLD_MINUTES, 30, NULL, &err));
    assert_string_equal(
        fixture_text(online,
                     "SELECT CONCAT(before_values, after_values, reason) FROM operation_log WHERE entity = 'param'"),
        "{\"value\":15}{\"value\":20}busy day");
    fixture_sql(online, "UPDATE param SET value = '9999999' WHERE name = 'hold_minutes'");
    param_forget(ann);
    assert_int_equal(param_get(ann, PARAM_HOLD_MINUTES), 15);
    assert_int_equal(param_find("hold_minutes"), PARAM_HOLD_MINUTES);
    assert_int_equal(param_find("nothing"), PARAM_COUNT);
}

/* Customers ------------------------------------------------------------------------------------------------------- */

struct ensuring {
    const char *phone, *name;
    int64_t id;
};

static enum fd_code ensure_apply(struct op *op, void *arg, struct fd_error *e)
{
    struct ensuring *ensuring = arg;
    return customer_ensure(op, ensuring->phone, ensuring->name, &ensuring->id, e);
}

static enum fd_code ensure(struct desk *desk, struct ensuring *ensuring, struct fd_error *e)
{
    const struct op_spec spec = {.action = "customer.add", .apply = ensure_apply};
    return op_run(desk, &spec, ensuring, NULL, NULL, e);
}

struct race {
    pthread_mutex_t mutex;
    int64_t ids[8];
    int failed;
};

static void ask_phone(struct desk *desk, int index, void *arg)
{
    struct race *race = arg;
    struct fd_error local = {0};
    struct ensuring ensuring = {.phone = "13911112222", .name = index ? "" : "王芳"};
    enum fd_code code = ensure(desk, &ensuring, &local);
    pthread_mutex_lock(&race->mutex);
    race->ids[index] = ensuring.id;
    race->failed += code != FD_OK;
    pthread_mutex_unlock(&race->mutex);
}

static void desks_at_once_make_one_profile(void **state)
{
    (void)state;
    struct race race = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    kit_threads(8, "ann", ask_phone, &race);
    assert_int_equal(race.failed, 0);
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM t_user WHERE phone = '13911112222'"), 1);
    for (int i = 1; i < 8; i++)
        assert_int_equal(race.ids[i], race.ids[0]);
    assert_string_equal(
        fixture_text(online, "SELECT CONCAT(nickname, name_initials) FROM t_user WHERE phone = '13911112222'"),
        "王芳wf");
    assert_int_equal(fixture_int(online,
                                 "SELECT COUNT(*) FROM operation_log WHERE entity = 'customer' AND event = 'add' "
                                 "AND entity_no = '%lld'",
                                 (long long)race.ids[0]),
                     1);
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM operation_log WHERE CONCAT_WS(' ', before_values, "
                                         "after_values) LIKE '%%13911112222%%'"),
                     0);
}

static void names_are_filled_in_never_overwritten(void **state)
{
    (void)state;
    struct ensuring ensuring = {.phone = "+86 139-3333-0001", .name = NULL};
    must(ensure(ann, &ensuring, &err));
    ensuring.name = "Zhao";
    must(ensure(ann, &ensuring, &err));
    ensuring.name = "Qian";
    must(ensure(ann, &ensuring, &err));
    assert_string_equal(fixture_text(online, "SELECT nickname FROM t_user WHERE phone = '13933330001'"), "Zhao");
    fixture_sql(online, "UPDATE t_user SET status = 0 WHERE phone = '13933330001'");
    must_give(FD_REFUSED, ensure(ann, &ensuring, &err));
    ensuring.phone = "12";
    must_give(FD_BAD_INPUT, ensure(ann, &ensuring, &err));
}

static void profiles_are_added_and_changed_once(void **state)
{
    (void)state;
    struct customer_edit edit = {.phone = "13800138000", .name = "张三丰", .note = "left-handed"};
    struct arena arena = {0};
    struct customer *customer = NULL;
    int64_t id = 0, again = 0;
    must(customer_add(ann, "k-add", &edit, &id, &err));
    must(customer_add(ann, "k-add", &edit, &again, &err));
    assert_int_equal(id, again);
    must_give(FD_EXISTS, customer_add(ann, NULL, &edit, &again, &err));
    must(customer_change(ann, NULL, id, &(struct customer_edit){.alert = "owes 20"}, NULL, &err));
    must(customer_by_phone(ann, "13800138000", &arena, &customer, &err));
    assert_string_equal(customer->name, "张三丰");
    assert_string_equal(customer->initials, "zsf");
    assert_string_equal(customer->alert, "owes 20");
    assert_string_equal(customer->note, "left-handed");
    assert_true(customer->temporary);
    must_give(FD_BAD_INPUT, customer_change(ann, NULL, id, &(struct customer_edit){.name = "a\x1b[2J"}, NULL, &err));
    must_give(FD_NOT_FOUND, customer_change(ann, NULL, 999999, &edit, NULL, &err));
    must(customer_log_shown(ann, id, &err));
    arena_release(&arena);
}

static size_t found(const char *text)
{
    struct arena arena = {0};
    struct customer *rows;
    size_t count;
    must(customer_search(ann, text, 0, 50, &arena, &rows, &count, &err));
    arena_release(&arena);
    return count;
}

static void customers_are_found_by_what_is_known(void **state)
{
    (void)state;
    struct customer_edit edit = {.phone = "13755554321", .name = "欧阳修"};
    int64_t id;
    must(customer_add(ann, NULL, &edit, &id, &err));
    edit = (struct customer_edit){.phone = "13755554322", .name = "100%_real"};
    must(customer_add(ann, NULL, &edit, &id, &err));
    assert_int_equal(found("4321"), 1);
    assert_int_equal(found("1375555"), 2);
    assert_int_equal(found("欧"), 1);
    assert_int_equal(found("oyx"), 1);
    assert_int_equal(found("100%"), 1);
    assert_int_equal(found("%"), 0);
    assert_int_equal(found("_"), 0);
    assert_int_equal(found("' OR '1'='1"), 0);
    assert_int_equal(found("\xff\xfe"), 0);
    assert_int_equal(found(""), 0);
}

static void search_pages_by_key(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct customer *rows;
    size_t count;
    for (int i = 0; i < 5; i++)
        fixture_sql(online, "INSERT INTO t_user (nickname, phone) VALUES ('Paged', '1660000777%d')", i);
    must(customer_search(ann, "Paged", 0, 3, &arena, &rows, &count, &err));
    assert_int_equal(count, 3);
    must(customer_search(ann, "Paged", rows[2].id, 3, &arena, &rows, &count, &err));
    assert_int_equal(count, 2);
    arena_release(&arena);
}

/* The log and permissions ----------------------------------------------------------------------------------------- */

static void the_log_is_read_in_pages(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct log_row *rows;
    size_t count, all = 0;
    struct log_filter filter = {.from = DAY_NONE, .to = DAY_NONE, .most = 3};
    int64_t total = fixture_int(online, "SELECT COUNT(*) FROM operation_log"), last = INT64_MAX;
    do {
        must(log_list(boss, &filter, &arena, &rows, &count, &err));
        for (size_t i = 0; i < count; i++, all++) {
            assert_true(rows[i].id < last || i == 0);
            last = rows[i].id;
        }
        filter.after_id = count ? rows[count - 1].id : 0;
    } while (count > 0);
    assert_int_equal(all, total);
    filter = (struct log_filter){.from = DAY_NONE, .to = DAY_NONE, .action = "param.set"};
    must(log_list(boss, &filter, &arena, &rows, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(rows[0].reason, "busy day");
    filter = (struct log_filter){.from = DAY_NONE, .to = DAY_NONE, .operator= "nobody" };
    must(log_list(boss, &filter, &arena, &rows, &count, &err));
    assert_int_equal(count, 0);
    arena_release(&arena);
}

static void what_an_administrator_took_away_stays_away(void **state)
{
    (void)state;
    assert_int_equal(
        fixture_int(online, "SELECT COUNT(*) FROM role_action WHERE action = 'refund_late' AND role = 'admin'"), 1);
    fixture_sql(online, "DELETE FROM role_action WHERE role = 'clerk' AND action = 'customer.add'");
    fixture_sql(online, "DELETE FROM role_action WHERE action = 'param.set'");
    must(actions_grant_defaults(boss->db, &err));
    assert_int_equal(
        fixture_int(online, "SELECT COUNT(*) FROM role_action WHERE role = 'clerk' AND action = 'customer.add'"), 0);
    assert_int_equal(
        fixture_int(online, "SELECT COUNT(*) FROM role_action WHERE role = 'admin' AND action = 'param.set'"), 1);
    fixture_sql(online, "INSERT INTO role_action (role, action) VALUES ('clerk', 'customer.add')");
}

static enum fd_code run_words(struct desk *desk, const char *noun, const char *verb, char **words, int count,
                              struct call *call)
{
    *call =
        (struct call){.desk = desk, .config = config, .action = action_find(noun, verb), .today = day_of(2026, 11, 30)};
    enum fd_code code = call_parse(call, count, words, NULL, &err);
    return code == FD_OK ? call_run(call, &err) : code;
}

static void actions_run_from_words(void **state)
{
    (void)state;
    struct call call;
    char find[] = "138 0013 8000", name[] = "cart_most", value[] = "7";
    char *find_words[] = {find}, *set_words[] = {name, value};
    must(run_words(ann, "customer", "find", find_words, 1, &call));
    assert_int_equal(tree_count(call.answer), 1);
    assert_string_equal(tree_get_text(tree_at(call.answer, 0), "phone"), "138****8000");
    call_release(&call);
    must(run_words(boss, "param", "set", set_words, 2, &call));
    assert_int_equal(tree_get_int(call.answer, "value"), 7);
    call_release(&call);
    must_give(FD_NO_PERMISSION, run_words(ann, "log", "", NULL, 0, &call));
    call_release(&call);
    must(run_words(boss, "log", "", NULL, 0, &call));
    char *text = call_print(&call);
    assert_non_null(strstr(text, "param.set"));
    free(text);
    call_release(&call);
    must(run_words(boss, "operator", "list", NULL, 0, &call));
    assert_true(tree_count(call.answer) > 4);
    call_release(&call);
}

static void the_first_operator_needs_nobody(void **state)
{
    (void)state;
    struct desk *nobody = kit_desk(NULL);
    struct operator_new who = {.name = "first", .role = ROLE_ADMIN, .password = "demo"};
    bool none = true;
    must(operator_none_yet(nobody, &none, &err));
    assert_false(none);
    must_give(FD_SIGN_IN, operator_add(nobody, NULL, &who, &err));
    fixture_sql(online, "DELETE FROM operator_account WHERE role <> 'worker'");
    must(operator_none_yet(nobody, &none, &err));
    assert_true(none);
    who.role = ROLE_CLERK;
    must_give(FD_REFUSED, operator_add(nobody, NULL, &who, &err));
    who.role = ROLE_ADMIN;
    must(operator_add(nobody, NULL, &who, &err));
    must_give(FD_SIGN_IN,
              operator_add(nobody, NULL, &(struct operator_new){.name = "next", .role = ROLE_ADMIN, .password = "demo"},
                           &err));
    must(operator_act_as_worker(nobody, &err));
    assert_true(nobody->role == ROLE_WORKER && nobody->run_id[0]);
    desk_close(&nobody);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_right_password_signs_in),
        cmocka_unit_test(the_sixth_try_is_refused_wherever_it_comes_from),
        cmocka_unit_test(a_right_password_forgives_the_wrong_ones),
        cmocka_unit_test(a_disabled_operator_stays_out),
        cmocka_unit_test(one_administrator_always_stays),
        cmocka_unit_test(names_and_passwords_are_checked),
#if !defined(__SANITIZE_ADDRESS__)
        cmocka_unit_test(no_memory_is_no_wrong_password),
#endif
        cmocka_unit_test(an_unknown_name_takes_as_long),
        cmocka_unit_test(parameters_have_limits_and_a_log),
        cmocka_unit_test(desks_at_once_make_one_profile),
        cmocka_unit_test(names_are_filled_in_never_overwritten),
        cmocka_unit_test(profiles_are_added_and_changed_once),
        cmocka_unit_test(customers_are_found_by_what_is_known),
        cmocka_unit_test(search_pages_by_key),
        cmocka_unit_test(the_log_is_read_in_pages),
        cmocka_unit_test(what_an_administrator_took_away_stays_away),
        cmocka_unit_test(actions_run_from_words),
        cmocka_unit_test(the_first_operator_needs_nobody),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
