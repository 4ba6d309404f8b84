/* Words into values; the answer as text; JSON values; the rule table. Without a database. */
#include "core/kit.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/action.h"
#include "core/rule.h"
#include "money/pay.h"
#include "outside/tree.h"
#include "venue/booking.h"

static const struct action_param params[] = {
    {"number", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL, "number"},
    {"tendered", P_MONEY, 0, NULL, "yuan"},
    {"date", P_DATE, 0, NULL, "day"},
    {"time", P_SPAN, 0, NULL, "time"},
    {"slot", P_IDS, 0, NULL, "ids"},
    {"form", P_CHOICE, 0, "COURT|PLACE", "form"},
    {"phone", P_PHONE, 0, NULL, "phone"},
    {"count", P_INT, 0, NULL, "count"},
    {"check-in", P_SWITCH, 0, NULL, "go in"},
    {"note", P_TEXT, P_POSITIONAL | P_REST, NULL, "note"},
    {NULL, P_TEXT, 0, NULL, NULL},
};
static const struct column columns[] = {
    {"name", "Name", -1, false}, {"price_fen", "Price", 1, true}, {"open", "Open", -1, false}, {NULL, NULL, 0, false}};
static const struct action action = {"test", "do", NULL, "s", NULL, params, columns, A_WRITE, "clerk", NULL};

static struct fd_error local;

static enum fd_code parse(struct call *call, int *bad, const char *line)
{
    static char copy[512];
    char *words[32], *rest = NULL;
    int count = 0;
    *call = (struct call){.action = &action, .today = day_of(2026, 11, 30)};
    fit_printf(copy, "%s", line);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    local = (struct fd_error){0};
    return call_parse(call, count, words, bad, &local);
}

static void words_become_values(void **state)
{
    (void)state;
    struct call call;
    int bad = -1;
    int64_t fen, *ids, number;
    size_t count;
    day_t day;
    int from, to;
    assert_int_equal(
        parse(
            &call, &bad,
            "K3M9 --tendered=200 --date +1 --slot 1024,1025 --form PLACE --phone +8613800001234 --check-in --count -3 "
            "--key k1 --reason rain --json --time 18-20 two words"),
        FD_OK);
    assert_string_equal(call_text(&call, "number"), "K3M9");
    assert_int_equal(call_fen(&call, "tendered", 0, &fen, &local), FD_OK);
    assert_int_equal(fen, 20000);
    assert_int_equal(call_day(&call, "date", DAY_NONE, &day, &local), FD_OK);
    assert_int_equal(day, day_of(2026, 12, 1));
    assert_int_equal(call_ids(&call, "slot", &ids, &count, &local), FD_OK);
    assert_int_equal(count, 2);
    assert_int_equal(ids[1], 1025);
    assert_int_equal(call_int(&call, "count", 0, &number, &local), FD_OK);
    assert_int_equal(number, -3);
    assert_int_equal(call_span(&call, "time", &from, &to, &local), FD_OK);
    assert_int_equal(from, 18 * 60);
    assert_int_equal(to, 20 * 60);
    assert_string_equal(call_text(&call, "phone"), "13800001234");
    assert_true(call_switch(&call, "check-in"));
    assert_string_equal(call.key, "k1");
    assert_string_equal(call.reason, "rain");
    assert_true(call.json);
    assert_string_equal(call_text(&call, "note"), "two words");
    call_release(&call);
}

/* Help says "TEXT… [options]". */
static void flags_may_follow_what_takes_the_rest(void **state)
{
    (void)state;
    struct call call;
    int64_t number;
    assert_int_equal(parse(&call, NULL, "K3M9 two words --count 4 --check-in"), FD_OK);
    assert_string_equal(call_text(&call, "note"), "two words");
    assert_int_equal(call_int(&call, "count", 0, &number, &local), FD_OK);
    assert_int_equal(number, 4);
    assert_true(call_switch(&call, "check-in"));
    call_release(&call);
}

static void what_is_not_given_keeps_its_fallback(void **state)
{
    (void)state;
    struct call call;
    int64_t fen;
    int from, to;
    assert_int_equal(parse(&call, NULL, "K3M9"), FD_OK);
    assert_int_equal(call_fen(&call, "tendered", -1, &fen, &local), FD_OK);
    assert_int_equal(fen, -1);
    assert_int_equal(call_span(&call, "time", &from, &to, &local), FD_OK);
    assert_int_equal(from, -1);
    assert_false(call_given(&call, "phone"));
    assert_null(call.key);
    call_release(&call);
}

static void refusals_name_the_word(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum fd_code code;
        int bad;
        const char *named;
    } cases[] = {
        {"", FD_USAGE, 0, "NUMBER"},
        {"K --tendere 2", FD_USAGE, 1, "--tendere"},
        {"K --tendered", FD_USAGE, 1, "--tendered"},
        {"K --tendered 12.345", FD_BAD_INPUT, 2, "--tendered"},
        {"K --tendered=1e3", FD_BAD_INPUT, 1, "--tendered"},
        {"K --tendered 1 --tendered 2", FD_USAGE, 4, "--tendered"},
        {"K --slot 1,,2", FD_BAD_INPUT, 2, "--slot"},
        {"K --slot 0", FD_BAD_INPUT, 2, "--slot"},
        {"K --form ROUND", FD_BAD_INPUT, 2, "--form"},
        {"K --form C", FD_BAD_INPUT, 2, "--form"},
        {"K --count 1x", FD_BAD_INPUT, 2, "--count"},
        {"K --count 99999999999999999999", FD_BAD_INPUT, 2, "--count"},
        {"K --date 2026-13-01", FD_BAD_INPUT, 2, "--date"},
        {"K --check-in=yes", FD_USAGE, 1, "--check-in"},
        {"K -x", FD_USAGE, 1, "-x"},
        {"K --key a --key b", FD_USAGE, 3, "--key"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct call call;
        int bad = -1;
        assert_int_equal(parse(&call, &bad, cases[i].line), cases[i].code);
        assert_int_equal(bad, cases[i].bad);
        assert_non_null(strstr(local.message, cases[i].named));
        call_release(&call);
    }
}

static void flags_end_at_two_dashes(void **state)
{
    (void)state;
    struct call call;
    assert_int_equal(parse(&call, NULL, "K -- --json -x"), FD_OK);
    assert_string_equal(call_text(&call, "note"), "--json -x");
    assert_false(call.json);
    call_release(&call);
    assert_int_equal(parse(&call, NULL, "-1"), FD_OK);
    assert_string_equal(call_text(&call, "number"), "-1");
    call_release(&call);
}

static void tables_are_padded_by_cells_and_clean(void **state)
{
    (void)state;
    struct call call = {.action = &action};
    struct tree *rows = tree_list();
    static const char *const names[] = {"羽毛球", "a\x1b[31mb"};
    for (size_t i = 0; i < 2; i++) {
        struct tree *row = tree_object();
        tree_put_text(row, "name", names[i]);
        tree_put_int(row, "price_fen", i ? 123456 : 8000);
        tree_put_bool(row, "open", i == 0);
        tree_add(rows, row);
    }
    call.answer = tree_object();
    tree_put_int(call.answer, "count", 2);
    tree_put(call.answer, "rows", rows);
    call_say(&call, "%s", "two\x07 rows");
    char *text = call_print(&call);
    assert_null(strchr(text, '\x1b'));
    assert_null(strchr(text, '\x07'));
    assert_non_null(strstr(text, "Name        Price  Open\n"));
    assert_non_null(strstr(text, "羽毛球      80.00  yes\n"));
    assert_non_null(strstr(text, "1,234.56  no\n"));
    free(text);
    call_release(&call);
}

static void trees_keep_order_and_clean_text(void **state)
{
    (void)state;
    struct tree *tree = tree_object(), *list = tree_list();
    tree_put_text(tree, "b", "x");
    tree_put_text(tree, "a", NULL);
    tree_put_text(tree, "bad", "\xff\xc3(");
    tree_add_text(list, "one");
    tree_put(tree, "list", list);
    char *text = tree_dump(tree);
    assert_true(strncmp(text, "{\"b\":\"x\",\"a\":null,\"bad\":\"", 24) == 0);
    struct tree *again = tree_parse(text);
    assert_non_null(again);
    assert_true(tree_is_null(again, "a") && tree_is_null(again, "none"));
    assert_int_equal(tree_count(tree_rows(again)), 1);
    assert_int_equal(tree_get_int(again, "b"), 0);
    assert_null(tree_get_text(again, "list"));
    assert_null(tree_parse("{"));
    assert_null(tree_parse(NULL));
    struct tree *copy = tree_copy(again);
    tree_free(&again);
    assert_string_equal(tree_get_text(copy, "b"), "x");
    tree_free(&copy);
    tree_free(&tree);
    free(text);
    assert_null(tree);
}

static void rules_answer_the_domain_table(void **state)
{
    (void)state;
    const char *events[16];
    assert_string_equal(rule_find("venue_order", "PENDING_PAY", "pay")->to, "PAID");
    assert_null(rule_find("venue_order", "COMPLETED", "check_in"));
    assert_null(rule_find("other", "PENDING_PAY", "pay"));
    assert_true(rule_find("venue_order", "PAID", "miss")->actors == ACTOR_WORKER);
    assert_int_equal(rule_events("venue_order", "PAID", ACTOR_KIOSK, events, 16), 1);
    assert_string_equal(events[0], "check_in");
    assert_int_equal(rule_events("venue_order", "REFUNDED", 0xff, events, 16), 0);
}

static void every_state_and_event_has_its_words(void **state)
{
    (void)state;
    for (const struct rule *rule = rules; rule->entity; rule++) {
        assert_string_not_equal(state_label(rule->entity, rule->from), rule->from);
        assert_string_not_equal(state_label(rule->entity, rule->to), rule->to);
        assert_string_not_equal(state_mark(rule->entity, rule->to), "?");
        assert_string_not_equal(event_label(rule->event), rule->event);
        assert_true(rule->text[0] != '\0');
    }
    assert_string_equal(state_label("venue_order", "WEIRD"), "WEIRD");
}

static void rules_print_in_three_forms(void **state)
{
    (void)state;
    char *table = rules_print("table"), *json = rules_print("json"), *dot = rules_print("dot");
    struct tree *tree = tree_parse(json);
    assert_non_null(strstr(table, "PENDING_PAY  tender"));
    size_t count = 0;
    while (rules[count].entity)
        count++;
    assert_int_equal(tree_count(tree_get(tree, "rules")), count);
    assert_non_null(strstr(dot, "\"venue_order.PAID\" -> \"venue_order.COMPLETED\" [label=\"check_in\"]"));
    tree_free(&tree);
    free(table);
    free(json);
    free(dot);
}

static void check_params(const struct action *each)
{
    bool rest = false, optional = false;
    size_t count = 0;
    for (const struct action_param *param = each->params; param && param->name; param++, count++) {
        bool place = param->flags & P_POSITIONAL;
        assert_true(param->help && param->help[0]);
        assert_true((param->type == P_CHOICE) == (param->choices != NULL));
        /* Nothing can stand behind a word that takes the rest, and nothing required behind what may be missing. */
        assert_false(place && rest);
        assert_false(place && optional && (param->flags & P_REQUIRED));
        rest = rest || (param->flags & P_REST);
        optional = optional || (place && !(param->flags & P_REQUIRED));
        for (const struct action_param *other = each->params; other < param; other++)
            assert_string_not_equal(other->name, param->name);
        assert_string_not_equal(param->name, "key");
        assert_string_not_equal(param->name, "reason");
        assert_string_not_equal(param->name, "json");
    }
    assert_true(count <= 24);
}

/* The tables of all floors below the command line: help, completion, parser and permissions rest on them. */
static void action_tables_are_sound(void **state)
{
    (void)state;
    const struct action *const *list;
    size_t count = action_all(&list);
    assert_true(count > 25);
    for (size_t i = 0; i < count; i++) {
        char roles[128], name[64], *rest = NULL;
        assert_true(list[i]->summary && list[i]->summary[0]);
        assert_non_null(list[i]->run);
        assert_true(strlen(action_name(list[i], name)) <= 40);
        assert_true(action_find(list[i]->noun, list[i]->verb) == list[i]);
        if (list[i]->flags & A_WRITE)
            assert_true(list[i]->flags & A_OPERATOR);
        fit_printf(roles, "%s", list[i]->roles);
        for (char *role = strtok_r(roles, " ", &rest); role; role = strtok_r(NULL, " ", &rest))
            assert_true(role_from_name(role) != ROLE_NONE);
        check_params(list[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_become_values),
        cmocka_unit_test(flags_may_follow_what_takes_the_rest),
        cmocka_unit_test(what_is_not_given_keeps_its_fallback),
        cmocka_unit_test(refusals_name_the_word),
        cmocka_unit_test(flags_end_at_two_dashes),
        cmocka_unit_test(tables_are_padded_by_cells_and_clean),
        cmocka_unit_test(trees_keep_order_and_clean_text),
        cmocka_unit_test(rules_answer_the_domain_table),
        cmocka_unit_test(every_state_and_event_has_its_words),
        cmocka_unit_test(rules_print_in_three_forms),
        cmocka_unit_test(action_tables_are_sound),
    };
    fixture_environment(&fixture);
    i18n_start(NULL);
    action_register(core_actions);
    action_register(pay_actions);
    venue_register();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fixture_stop(&fixture);
    return failed;
}
