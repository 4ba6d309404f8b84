/* Order search: one constant query for each way in, chosen by the most selective filter given; the
 * other filters stand behind it. Key-paged by (day, id) descending, written out, since the row form
 * is not used as a range. Source: domain section 2, performance facts B3. */
#include "base/text.h"
#include "venue/venue_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MOST   500
#define STATES_MOST 7
#define ARGS        14 /* what every query takes, before :s1 … */
#define NARROW_DAYS 2  /* so few days are read by date even where a name is given */
/* A name that more customers have is looked for among the newest orders instead: with n customers in all, both ways
 * cost the same at about the root of 2n. */
#define NAMESAKES_MOST 400
#define NAMESAKES_TEXT "401"

#define COLUMNS ORDER_COLUMNS ", " ORDER_DUE ", " ORDER_BACK
#define OF_ORDER                                                                                                       \
    "(:venue = 0 OR o.venue_id = :venue) AND (:states IS NULL OR FIND_IN_SET(o.status, :states)) "                     \
    "AND (:online = 0 OR o.operator IS NULL) AND (:operator IS NULL OR o.operator = :operator) "                       \
    "AND (:rev IS NULL OR o.order_no_rev LIKE :rev ESCAPE '|') "
#define OF_CUSTOMER                                                                                                    \
    "AND (:phone IS NULL OR u.phone = :phone) AND (:tail IS NULL OR u.phone_tail = :tail) "                            \
    "AND (:name IS NULL OR u.nickname LIKE :name ESCAPE '|' OR u.name_initials LIKE :initials ESCAPE '|') "
#define PAGE                                                                                                           \
    "AND o.schedule_date >= :from AND o.schedule_date <= :to "                                                         \
    "AND (o.schedule_date < :day OR (o.schedule_date = :day AND o.id < :id)) "
#define NEWEST "ORDER BY o.schedule_date DESC, o.id DESC LIMIT :most"

/* The index gives the order: rows are joined as they are read, and the LIMIT ends it. */
#define IN_ORDER(index, condition)                                                                                     \
    "SELECT STRAIGHT_JOIN " COLUMNS " FROM reserve_order o FORCE INDEX (" index ")" ORDER_JOINS                  \
    "WHERE " condition " AND " OF_ORDER OF_CUSTOMER PAGE NEWEST
/* All hits are read and sorted: only their keys, the page's rows are joined afterwards. */
#define SORTED(from, condition)                                                                                        \
    "SELECT " COLUMNS " FROM (SELECT o.id, o.schedule_date FROM " from " WHERE " condition                       \
    " AND " OF_ORDER OF_CUSTOMER PAGE NEWEST ") p JOIN reserve_order o ON o.id = p.id" ORDER_JOINS                     \
    "ORDER BY p.schedule_date DESC, p.id DESC"
/* One state's part of several, each in its index's order. */
#define STATE(state)                                                                                                   \
    "(SELECT o.id, o.schedule_date FROM reserve_order o FORCE INDEX (idx_status_day) "                                 \
    "LEFT JOIN t_user u ON u.id = o.user_id WHERE o.status = " state " AND " OF_ORDER OF_CUSTOMER PAGE NEWEST ")"
#define STATES(parts)                                                                                                  \
    "SELECT " COLUMNS " FROM (" parts ") p JOIN reserve_order o ON o.id = p.id" ORDER_JOINS                      \
    "ORDER BY p.schedule_date DESC, p.id DESC LIMIT :most"

DB_QUERY(q_number, "search.number", DB_ROWS,
         SORTED("reserve_order o FORCE INDEX (idx_order_no_rev) LEFT JOIN t_user u ON u.id = o.user_id",
                "o.order_no_rev LIKE :rev ESCAPE '|'"));
DB_QUERY(q_phone, "search.phone", DB_ROWS,
         SORTED("t_user u FORCE INDEX (uk_phone) STRAIGHT_JOIN reserve_order o FORCE INDEX (idx_user) "
                "ON o.user_id = u.id",
                "u.phone = :phone"));
DB_QUERY(q_tail, "search.phone_tail", DB_ROWS,
         SORTED("t_user u FORCE INDEX (idx_phone_tail) STRAIGHT_JOIN reserve_order o FORCE INDEX (idx_user) "
                "ON o.user_id = u.id",
                "u.phone_tail = :tail"));
#define BY_NAME "SELECT x.id, x.walk_in FROM t_user x FORCE INDEX (idx_nickname) WHERE x.nickname LIKE :name ESCAPE '|'"
#define BY_INITIALS                                                                                                    \
    "SELECT y.id, y.walk_in FROM t_user y FORCE INDEX (idx_name_initials) WHERE y.name_initials LIKE :initials "       \
    "ESCAPE '|'"
#define OF_THEM(them)                                                                                                  \
    SORTED("(" them ") n STRAIGHT_JOIN t_user u ON u.id = n.id "                                                       \
           "STRAIGHT_JOIN reserve_order o FORCE INDEX (idx_user) ON o.user_id = u.id",                                 \
           "1 = 1")
DB_QUERY(q_name, "search.name", DB_ROWS, OF_THEM(BY_NAME));
DB_QUERY(q_initials, "search.initials", DB_ROWS, OF_THEM(BY_NAME " UNION " BY_INITIALS));
/* How many have the name; the one profile of people without a phone counts as too many, for it has too many orders. */
#define COUNT_THEM(them) "SELECT COALESCE(SUM(IF(n.walk_in = 1, " NAMESAKES_TEXT ", 1)), 0) FROM (" them ") n"
DB_QUERY(q_namesakes, "search.namesakes", DB_VALUE, COUNT_THEM(BY_NAME " LIMIT " NAMESAKES_TEXT));
DB_QUERY(q_namesakes_initials, "search.namesakes_initials", DB_VALUE,
         COUNT_THEM("(" BY_NAME " LIMIT " NAMESAKES_TEXT ") UNION (" BY_INITIALS " LIMIT " NAMESAKES_TEXT ")"));
DB_QUERY(q_operator, "search.operator", DB_ROWS, IN_ORDER("idx_operator_day", "o.operator = :operator"));
DB_QUERY(q_online, "search.online", DB_ROWS, IN_ORDER("idx_operator_day", "o.operator IS NULL"));
DB_QUERY(q_venue, "search.venue", DB_ROWS, IN_ORDER("idx_venue_day", "o.venue_id = :venue"));
DB_QUERY(q_day, "search.day", DB_ROWS, IN_ORDER("idx_day", "1 = 1"));
DB_QUERY(q_state, "search.state", DB_ROWS, IN_ORDER("idx_status_day", "o.status = :s1"));
DB_QUERY(q_states_3, "search.states_3", DB_ROWS,
         STATES(STATE(":s1") " UNION ALL " STATE(":s2") " UNION ALL " STATE(":s3")));
DB_QUERY(q_states_7, "search.states_7", DB_ROWS,
         STATES(STATE(":s1") " UNION ALL " STATE(":s2") " UNION ALL " STATE(":s3") " UNION ALL " STATE(
             ":s4") " UNION ALL " STATE(":s5") " UNION ALL " STATE(":s6") " UNION ALL " STATE(":s7")));

/* The filters as the queries take them. */
struct search {
    struct order_filter filter;
    char states[STATES_MOST][STATE_BYTES];
    size_t state_count;
    bool waiting_only; /* only states that few orders have */
    char states_text[STATES_MOST * (STATE_BYTES + 1)];
    char rev[2 * NUMBER_BYTES];
    char name[520], initials[300];
    bool has_initials, nothing; /* nothing: what was asked cannot be in any row */
    bool rare_name;
    day_t to;
    struct arena *arena;
    struct venue_order *rows;
    size_t count;
};

static const char *given(const char *text)
{
    return text && text[0] ? text : NULL;
}

static bool is_busy_state(const char *state)
{
    return strcmp(state, "PENDING_PAY") == 0 || strcmp(state, "PAID") == 0 || strcmp(state, "REFUNDING") == 0;
}

static bool is_state(const char *state)
{
    for (const struct rule *rule = rules; rule->entity; rule++)
        if (strcmp(rule->entity, venue_kind.entity) == 0 && (strcmp(rule->from, state) == 0 || strcmp(rule->to, state) == 0))
            return true;
    return false;
}

static enum fd_code take_states(struct search *search, struct fd_error *err)
{
    const char *at = given(search->filter.states);
    search->waiting_only = true;
    while (at && *at) {
        size_t length = strcspn(at, ",");
        char state[STATE_BYTES] = "";
        if (length == 0 || length >= sizeof state || search->state_count == STATES_MOST)
            return fd_fail(err, FD_BAD_INPUT, _("At most %d states, separated by commas."), STATES_MOST);
        for (size_t i = 0; i < length; i++)
            state[i] = (char)toupper((unsigned char)at[i]);
        if (!is_state(state)) {
            char clean[4 * STATE_BYTES];
            text_clean(clean, sizeof clean, state);
            fd_fail(err, FD_BAD_INPUT, _("“%s” is not a state."), clean);
            fd_hint(err, "%s", _("The states are listed by: frontdesk rules"));
            return FD_BAD_INPUT;
        }
        search->waiting_only = search->waiting_only && is_busy_state(state);
        memcpy(search->states[search->state_count++], state, sizeof state);
        if (search->states_text[0])
            strcat(search->states_text, ",");
        strcat(search->states_text, state);
        at += length + (at[length] == ',');
    }
    return FD_OK;
}

static enum fd_code take_number(struct search *search, struct fd_error *err)
{
    char number[NUMBER_BYTES * 4], reversed[NUMBER_BYTES * 4];
    const char *asked = given(search->filter.number);
    if (!asked)
        return FD_OK;
    if (!text_fold(number, sizeof number, asked) || strlen(number) < 3)
        return fd_fail(err, FD_BAD_INPUT, _("Give at least the last %d characters of the number."), 3);
    size_t length = strlen(number);
    for (size_t i = 0; i < length; i++) {
        /* Numbers are ASCII; bytes of other characters must not be turned round. */
        if ((unsigned char)number[i] >= 0x80)
            search->nothing = true;
        reversed[length - 1 - i] = (char)toupper((unsigned char)number[i]);
    }
    reversed[length] = '\0';
    if (search->nothing || !text_like(search->rev, sizeof search->rev - 1, reversed))
        search->nothing = true;
    else
        strcat(search->rev, "%");
    return FD_OK;
}

static enum fd_code take_name(struct search *search, struct fd_error *err)
{
    char name[64 * 4 + 1], folded[64 * 4 + 1];
    const char *asked = given(search->filter.name);
    if (!asked)
        return FD_OK;
    enum fd_code code = text_field(asked, _("name"), 64, name, sizeof name, err);
    if (code)
        return code;
    if (!name[0] || !text_like(search->name, sizeof search->name - 1, name)) {
        search->nothing = true;
        return FD_OK;
    }
    strcat(search->name, "%");
    bool letters = text_fold(folded, sizeof folded, name) && strlen(folded) <= 32;
    for (const char *at = folded; letters && *at; at++)
        letters = *at >= 'a' && *at <= 'z';
    search->has_initials = letters;
    if (letters)
        fit_printf(search->initials, "%s%%", folded);
    return FD_OK;
}

static bool is_online(const struct order_filter *filter)
{
    return filter->operator&& strcmp(filter->operator, "-") == 0;
}

static bool is_narrow(const struct search *search)
{
    return search->filter.from != DAY_NONE && search->to != DAY_NONE && search->to - search->filter.from < NARROW_DAYS;
}

static struct db_query *state_query(const struct search *search)
{
    return search->state_count == 1 ? &q_state : search->state_count <= 3 ? &q_states_3 : &q_states_7;
}

/* Few have the name: their orders are read. */
static enum fd_code count_namesakes(struct db *db, struct search *search, struct fd_error *err)
{
    int64_t count = 0;
    const struct db_arg args[] = {db_text("name", search->name), db_text("initials", search->initials)};
    struct db_query *query = search->has_initials ? &q_namesakes_initials : &q_namesakes;
    if (!search->name[0] || is_narrow(search))
        return FD_OK;
    enum fd_code code = db_value_int(db, query, args, search->has_initials ? 2 : 1, &count, err);
    search->rare_name = code == FD_OK && count <= NAMESAKES_MOST;
    return code;
}

/* The way in; `states` tells how many of :s1 … the query has. */
static struct db_query *choose(const struct search *search, size_t *states)
{
    const struct order_filter *filter = &search->filter;
    *states = 0;
    if (given(filter->number))
        return &q_number;
    if (given(filter->phone))
        return &q_phone;
    if (given(filter->phone_tail))
        return &q_tail;
    if (search->rare_name)
        return search->has_initials ? &q_initials : &q_name;
    bool by_state =
        search->state_count > 0 && (search->waiting_only || (!given(filter->operator) && !filter->venue_id));
    if (by_state) {
        *states = search->state_count == 1 ? 1 : search->state_count <= 3 ? 3 : STATES_MOST;
        return state_query(search);
    }
    if (is_online(filter))
        return &q_online;
    if (given(filter->operator))
        return &q_operator;
    return filter->venue_id ? &q_venue : &q_day;
}

static enum fd_code search_txn(struct db *db, void *arg, struct fd_error *err)
{
    static const char *const state_names[STATES_MOST] = {"s1", "s2", "s3", "s4", "s5", "s6", "s7"};
    struct search *search = arg;
    const struct order_filter *filter = &search->filter;
    bool first = filter->after_day == DAY_NONE;
    size_t states;
    enum fd_code code = count_namesakes(db, search, err);
    if (code)
        return code;
    struct db_query *query = choose(search, &states);
    struct db_arg args[ARGS + STATES_MOST] = {
        db_int("venue", filter->venue_id),
        db_text("states", given(search->states_text)),
        db_int("online", is_online(filter)),
        db_text("operator", is_online(filter) ? NULL : given(filter->operator)),
        db_text("rev", given(search->rev)),
        db_text("phone", given(filter->phone)),
        db_text("tail", given(filter->phone_tail)),
        db_text("name", given(search->name)),
        db_text("initials", search->has_initials ? search->initials : NULL),
        db_day("from", filter->from == DAY_NONE ? day_of(1000, 1, 1) : filter->from),
        db_day("to", search->to == DAY_NONE ? day_of(9999, 12, 31) : search->to),
        db_day("day", first ? day_of(9999, 12, 31) : filter->after_day),
        db_int("id", first ? INT64_MAX : filter->after_id),
        db_int("most", (int64_t)filter->most + 1),
    };
    for (size_t i = 0; i < states; i++)
        args[ARGS + i] = db_text(state_names[i], i < search->state_count ? search->states[i] : NULL);
    struct db_rows *rows;
    code = db_select(db, query, args, ARGS + states, &rows, err);
    if (code)
        return code;
    search->rows = venue_order_list(rows, search->arena, &search->count);
    db_rows_close(&rows);
    return FD_OK;
}

enum fd_code venue_order_search(struct desk *desk, const struct order_filter *filter, struct arena *arena,
                                struct venue_order **rows, size_t *count, bool *more, struct fd_error *err)
{
    struct search search = {.filter = *filter, .to = filter->to, .arena = arena};
    if (search.filter.most == 0 || search.filter.most > ROWS_MOST)
        search.filter.most = ROWS_MOST;
    if (filter->after_day != DAY_NONE && (search.to == DAY_NONE || search.to > filter->after_day))
        search.to = filter->after_day;
    enum fd_code code = take_states(&search, err);
    if (code == FD_OK)
        code = take_number(&search, err);
    if (code == FD_OK)
        code = take_name(&search, err);
    if (code == FD_OK && !search.nothing)
        code = desk_read(desk, "order.search", search_txn, &search, err);
    if (code)
        return code;
    *more = search.count > search.filter.most;
    *count = *more ? search.filter.most : search.count;
    *rows = search.rows;
    return FD_OK;
}
