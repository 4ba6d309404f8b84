#include "ui/view/order_query.h"
#include "base/text.h"
#include <string.h>

void order_query_day(struct order_query *query, day_t day) {
    *query = (struct order_query){.from = day, .to = day};
}

static bool is_letters(const char *text) {
    for (; *text; text++)
        if (!(*text >= 'A' && *text <= 'Z') && !(*text >= 'a' && *text <= 'z'))
            return false;
    return true;
}

static size_t count_digits(const char *text) {
    size_t digits = 0;
    for (; *text; text++)
        digits += *text >= '0' && *text <= '9';
    return digits;
}

/* Our numbers and most of the online system's are ASCII letters and digits. */
static bool is_number_like(const char *text) {
    size_t bytes = strlen(text);
    if (bytes < 4 || count_digits(text) == 0)
        return false;
    for (; *text; text++)
        if (!((*text >= '0' && *text <= '9') || (*text >= 'A' && *text <= 'Z') || (*text >= 'a' && *text <= 'z') || *text == '-' || *text == '_'))
            return false;
    return true;
}

/* As numbers are written and said; the search does not mind. */
static void take_number(struct order_query *query, const char *text) {
    cut_copy(query->number, sizeof query->number, text);
    for (char *at = query->number; *at; at++)
        if (*at >= 'a' && *at <= 'z')
            *at = (char)(*at - 'a' + 'A');
}

void order_query_find(struct order_query *query, const char *text) {
    char phone[PHONE_BYTES], folded[96];
    order_query_day(query, DAY_NONE);
    if (!text_fold(folded, sizeof folded, text))
        cut_copy(folded, sizeof folded, text);
    if (text_is_digits(folded) && strlen(folded) == 4) {
        cut_copy(query->tail, sizeof query->tail, folded);
        take_number(query, folded);
        query->either = true;
    } else if (is_letters(folded) && strlen(folded) == 4) { /* three of ten tails have no digit */
        cut_copy(query->name, sizeof query->name, folded);
        take_number(query, folded);
        query->either = true;
    } else if (count_digits(folded) <= 13 && count_digits(folded) >= 7 && phone_normalise(folded, phone, NULL) == FD_OK) {
        cut_copy(query->phone, sizeof query->phone, phone);
    } else if (is_number_like(folded)) {
        take_number(query, folded);
    } else {
        cut_copy(query->name, sizeof query->name, folded);
    }
}

/* --- in words --- */

static void add_word(struct buf *text, const char *word) {
    buf_printf(text, "%s%s", text->bytes == 0 ? "" : " · ", word);
}

static void words_days(const struct order_query *query, day_t today, struct buf *text) {
    char from[32], to[32];
    char both[80];
    if (query->from == DAY_NONE && query->to == DAY_NONE)
        add_word(text, _("every day"));
    else if (query->from == query->to && query->from == today)
        add_word(text, _("today"));
    else if (query->from == query->to)
        add_word(text, show_day(query->from, from));
    else {
        fit_printf(both, "%s – %s", query->from == DAY_NONE ? "" : show_day(query->from, from),
                   query->to == DAY_NONE ? "" : show_day(query->to, to));
        add_word(text, both);
    }
}

static void words_states(const struct order_query *query, struct buf *text) {
    char state[STATE_BYTES];
    const char *at = query->states;
    struct buf marks = {0};
    while (*at) {
        size_t bytes = strcspn(at, ",");
        cut_copy(state, bytes + 1 < sizeof state ? bytes + 1 : sizeof state, at);
        buf_printf(&marks, "%s%s", marks.bytes == 0 ? "" : ",", state_label("venue_order", state));
        at += bytes + (at[bytes] == ',');
    }
    if (marks.bytes > 0)
        add_word(text, buf_text(&marks));
    buf_release(&marks);
}

void order_query_words(const struct order_query *query, day_t today, struct buf *text) {
    struct buf words = {0};
    char word[160], masked[PHONE_BYTES];
    words_days(query, today, &words);
    words_states(query, &words);
    if (query->either) {
        fit_printf(word, *query->tail ? _("phone or order …%s") : _("name or order …%s"), query->number);
        add_word(&words, word);
    } else if (*query->tail) {
        fit_printf(word, _("phone …%s"), query->tail);
        add_word(&words, word);
    } else if (*query->number) {
        fit_printf(word, _("number %s"), query->number);
        add_word(&words, word);
    }
    if (*query->phone) {
        fit_printf(word, _("phone %s"), phone_mask(query->phone, masked));
        add_word(&words, word);
    }
    if (*query->name && !query->either) {
        fit_printf(word, _("name %s"), query->name);
        add_word(&words, word);
    }
    if (query->venue_id != 0)
        add_word(&words, query->venue);
    if (strcmp(query->operator, "-") == 0) {
        add_word(&words, _("made online"));
    } else if (*query->operator) {
        fit_printf(word, _("made by %s"), query->operator);
        add_word(&words, word);
    }
    buf_add(text, buf_text(&words));
    buf_release(&words);
}

/* --- asking --- */

static const char *or_null(const char *text) {
    return *text ? text : NULL;
}

static struct order_filter filter_of(const struct order_query *query, const struct page_key *after, size_t most) {
    return (struct order_filter){
        .from = query->from,
        .to = query->to,
        .phone = or_null(query->phone),
        .phone_tail = or_null(query->tail),
        .number = or_null(query->number),
        .name = or_null(query->name),
        .states = or_null(query->states),
        .venue_id = query->venue_id,
        .operator = or_null(query->operator),
        .after_day = after->day,
        .after_id = after->id,
        .most = most,
    };
}

static enum fd_code search(struct desk *desk, const struct order_filter *filter, struct arena *arena, struct order_line **lines,
                           size_t *count, bool *more, struct fd_error *err) {
    struct venue_order *rows = NULL;
    enum fd_code code = venue_order_search(desk, filter, arena, &rows, count, more, err);
    if (code != FD_OK)
        return code;
    *lines = arena_array(arena, *count == 0 ? 1 : *count, sizeof **lines);
    for (size_t i = 0; i < *count; i++)
        order_line_fill(&(*lines)[i], &rows[i]);
    return FD_OK;
}

static bool comes_before(const struct order_line *a, const struct order_line *b) {
    return a->day != b->day ? a->day > b->day : a->id > b->id;
}

/* Two answers in the same order become one, without what stands in both. */
static size_t merge(const struct order_line *a, size_t a_count, const struct order_line *b, size_t b_count, struct order_line *out) {
    size_t count = 0, i = 0, j = 0;
    while (i < a_count || j < b_count) {
        if (i < a_count && j < b_count && a[i].id == b[j].id)
            j++;
        else if (j == b_count || (i < a_count && comes_before(&a[i], &b[j])))
            out[count++] = a[i++];
        else
            out[count++] = b[j++];
    }
    return count;
}

enum fd_code order_query_run(struct desk *desk, const struct order_query *query, const struct page_key *after, size_t most,
                             struct arena *arena, struct order_line **lines, size_t *count, bool *more, struct fd_error *err) {
    struct order_filter filter = filter_of(query, after, most);
    if (!query->either)
        return search(desk, &filter, arena, lines, count, more, err);
    struct order_line *by_person = NULL, *by_number = NULL;
    size_t person_count = 0, number_count = 0;
    bool person_more = false, number_more = false;
    filter.number = NULL;
    enum fd_code code = search(desk, &filter, arena, &by_person, &person_count, &person_more, err);
    if (code != FD_OK)
        return code;
    filter.number = query->number;
    filter.phone_tail = filter.name = NULL;
    code = search(desk, &filter, arena, &by_number, &number_count, &number_more, err);
    if (code != FD_OK)
        return code;
    *lines = arena_array(arena, person_count + number_count + 1, sizeof **lines);
    *count = merge(by_person, person_count, by_number, number_count, *lines);
    *more = person_more || number_more || *count > most;
    if (*count > most)
        *count = most;
    return FD_OK;
}
