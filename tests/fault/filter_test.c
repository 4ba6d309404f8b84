/* Q11: hostile text through the typed functions into a real database and out again. The parsers and text_clean meet their
 * 200,000 random texts in tests/base/text_test; here a corpus of a thousand texts is booked, noted, searched and explained,
 * and nothing breaks a query, changes on its way, matches more than itself or comes out raw. */
#include <inttypes.h>
#include <stdio.h>

#include "core/customer.h"
#include "outside/tree.h"
#include "sound.h"
#include "tally.h"
#include "tests/venue/hall.h"

#define CORPUS     1000
#define TEXT_MOST  96

static char corpus[CORPUS][TEXT_MOST];

/* What breaks SQL, LIKE, JSON, formats, terminals and decoders, and what is innocent. */
static const char *const pieces[] = {
    "'", "\"", "`", "\\", "%", "_", "|", ";", "--", "/*", "*/", "#", "0x27", "' OR '1'='1", "'; DROP TABLE venue; --",
    "\\'", "\\0", "%s", "%n", "%1$s", "${x}", "$(id)", "{", "}", "[", "]", ":", ",", "\\u0000", "\033[2J", "\033]0;x\007",
    "\x9b", "\xc2\x9b\063\061m", "\x7f", "\r", "\n", "\t", "\u202e", "\u2066", "\u200b", "\ufeff", "\xff", "\xc0\xaf",
    "\xe2\x82", "\xf4\x90\x80\x80", "\xed\xa0\x80", "\U0001f600", "\U0001f469\u200d\U0001f467", "e\u0301", "\u0301", "张",
    "王小明", "９", "＇", "％", "a", "B", "7", " ", "=1+1", "@x", "-5", "NULL", "true"};

static void make_corpus(void)
{
    struct chance chance = chance_from(tally_seed(), 11);
    size_t count = sizeof pieces / sizeof *pieces;
    for (size_t i = 0; i < CORPUS; i++) {
        size_t used = 0, parts = i < count ? 1 : 1 + chance_below(&chance, 6);
        for (size_t part = 0; part < parts; part++) {
            const char *piece = pieces[i < count ? i : chance_below(&chance, (uint32_t)count)];
            if (used + strlen(piece) < TEXT_MOST)
                used += (size_t)snprintf(corpus[i] + used, TEXT_MOST - used, "%s", piece);
        }
    }
}

/* What a terminal would obey, by bytes and without the program's own idea of it: C0, DEL, C1, bidi controls. */
static bool is_harmless(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        bool control = *at < 0x20 || *at == 0x7f || (at[0] == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f);
        bool bidi = at[0] == 0xe2 && ((at[1] == 0x80 && at[2] >= 0xaa && at[2] <= 0xae) ||
                                      (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9));
        if (control || bidi)
            return false;
    }
    return true;
}

static int64_t refusals; /* of texts that no name may have */

/* Refused in clean words, or kept to the byte but for blanks at its ends. */
static bool goes_through(size_t i, enum fd_code code, const struct fd_error *err, const char *stored)
{
    char wanted[4 * TEXT_MOST + 1];
    if (code != FD_OK) {
        refusals++;
        return code == FD_BAD_INPUT && is_harmless(err->message);
    }
    return text_field(corpus[i], "x", 64, wanted, sizeof wanted, NULL) == FD_OK && strcmp(wanted, stored) == 0 &&
           is_harmless(stored);
}

static bool name_goes_through(size_t i, int64_t *id)
{
    struct fd_error err = {0};
    struct arena arena = {0};
    struct customer *customer = NULL;
    char phone[PHONE_BYTES];
    fit_printf(phone, "14%09zu", i);
    *id = 0;
    enum fd_code code =
        customer_add(hall.clerk, NULL, &(struct customer_edit){.phone = phone, .name = corpus[i], .note = corpus[i]}, id,
                     &err);
    bool fine = true;
    if (code == FD_OK)
        fine = customer_by_id(hall.clerk, *id, &arena, &customer, &err) == FD_OK && customer &&
               strcmp(customer->name, customer->note) == 0;
    fine = fine && goes_through(i, code, &err, customer ? customer->name : "");
    arena_release(&arena);
    return fine;
}

/* Whatever is looked for: found or not, never an error of the database, and nothing raw in the answer. */
static bool search_is_harmless(size_t i)
{
    struct fd_error errs[3] = {{0}};
    struct arena arena = {0};
    struct customer *customers;
    struct venue_order *orders;
    size_t count;
    bool more;
    const char *text;
    struct order_filter filter = {.from = DAY_NONE, .to = DAY_NONE, .name = corpus[i], .after_day = DAY_NONE, .most = 20};
    enum fd_code codes[3] = {
        customer_search(hall.clerk, corpus[i], 0, 20, &arena, &customers, &count, &errs[0]),
        venue_order_search(hall.clerk, &filter, &arena, &orders, &count, &more, &errs[1]),
        why_order(hall.clerk, corpus[i], &arena, &text, &errs[2]),
    };
    bool fine = true;
    for (size_t k = 0; k < 3; k++) {
        bool known = codes[k] == FD_OK || codes[k] == FD_NOT_FOUND || codes[k] == FD_AMBIGUOUS || codes[k] == FD_BAD_INPUT;
        fine = fine && known && is_harmless(errs[k].message) && is_harmless(errs[k].hint);
    }
    arena_release(&arena);
    return fine;
}

static void say_text(const char *what, size_t i)
{
    print_error("text %zu (", i);
    for (const char *at = corpus[i]; *at; at++)
        print_error("%02x", (unsigned char)*at);
    print_error(") %s\n", what);
}

static void hostile_text_is_kept_or_refused_and_never_obeyed(void **state)
{
    (void)state;
    struct tally tally = {.name = "Q11 hostile text"};
    int count = tally_rounds(CORPUS) < CORPUS ? tally_rounds(CORPUS) : CORPUS;
    for (size_t i = 0; i < (size_t)count; i++) {
        int64_t id;
        bool kept = name_goes_through(i, &id), harmless = search_is_harmless(i);
        tally.acked += id != 0;
        tally.lost += !kept;
        tally.broken += !harmless;
        if (!kept)
            say_text("is neither kept nor refused", i);
        if (!harmless)
            say_text("breaks a search", i);
    }
    print_message("%" PRId64 " texts were refused\n", refusals);
    assert_true(refusals > 0);
    tally.broken += sound_count(hall.db, tally.name, -1);
    tally_close(&tally);
}

/* LIKE means itself --------------------------------------------------------------------------------------------- */

/* By bytes: a collation that calls two cases the same is no fault of the escapes. */
DB_QUERY(q_like, "filter.like", DB_VALUE,
         "SELECT CAST(:text AS CHAR CHARACTER SET utf8mb4) COLLATE utf8mb4_bin LIKE :pattern ESCAPE '|'");

static void a_search_text_matches_itself_alone(void **state)
{
    (void)state;
    struct tally tally = {.name = "Q11 LIKE"};
    struct chance chance = chance_from(tally_seed(), 12);
    for (int i = 0; i < tally_rounds(1000); i++) {
        struct fd_error err = {0};
        char mine[TEXT_MOST], other[TEXT_MOST], pattern[2 * TEXT_MOST];
        size_t a = chance_below(&chance, CORPUS), b = chance_below(&chance, CORPUS);
        int64_t matches = -1;
        text_clean(mine, sizeof mine, corpus[a]);
        text_clean(other, sizeof other, corpus[i % 2 ? a : b]);
        assert_true(text_like(pattern, sizeof pattern, mine));
        must(db_value_int(hall.db, &q_like, DB_ARGS(db_text("text", other), db_text("pattern", pattern)), &matches, &err));
        bool same = strcmp(mine, other) == 0;
        tally.acked += matches == 1;
        tally.lost += same && matches != 1;
        tally.broken += !same && matches != 0;
    }
    tally_close(&tally);
}

/* JSON ------------------------------------------------------------------------------------------------------------ */

static void any_text_survives_json(void **state)
{
    (void)state;
    struct chance chance = chance_from(tally_seed(), 13);
    for (int i = 0; i < tally_rounds(20000); i++) {
        char text[40], clean[3 * sizeof text], pattern[2 * sizeof text];
        size_t length = chance_below(&chance, sizeof text - 1);
        for (size_t k = 0; k < length; k++)
            text[k] = (char)(1 + chance_below(&chance, 255));
        text[length] = '\0';
        struct tree *tree = tree_object();
        tree_put_text(tree, "t", text);
        char *json = tree_dump(tree);
        struct tree *again = tree_parse(json);
        const char *back = tree_get_text(again, "t");
        text_clean(clean, sizeof clean, text);
        assert_non_null(back);
        if (strcmp(back, text) != 0 && strcmp(back, clean) != 0)
            fail_msg("JSON changed a text: %s", json);
        assert_int_equal(strcspn(json, "\n\r\033"), strlen(json));
        assert_true(text_like(pattern, sizeof pattern, text) && strlen(pattern) >= length);
        free(json);
        tree_free(&tree);
        tree_free(&again);
    }
}

static int start(void **state)
{
    make_corpus();
    return hall_start(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_text_is_kept_or_refused_and_never_obeyed),
        cmocka_unit_test(a_search_text_matches_itself_alone),
        cmocka_unit_test(any_text_survives_json),
    };
    tally_filter();
    return cmocka_run_group_tests(tests, start, hall_stop);
}
