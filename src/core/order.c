/* Orders of any business: kinds, and finding one by what people say. */
#include "core/order.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define KINDS_MOST  8
#define TAIL_LEAST  4
#define LISTED_MOST 5

static const struct order_kind *kinds[KINDS_MOST];
static size_t kind_count;

void order_kind_register(const struct order_kind *kind)
{
    for (size_t i = 0; i < kind_count; i++)
        if (kinds[i] == kind)
            return;
    FD_ASSERT(kind_count < KINDS_MOST);
    kinds[kind_count++] = kind;
}

size_t order_kinds(const struct order_kind *const **list)
{
    *list = kinds;
    return kind_count;
}

void order_set_keep(const struct order *order, struct order_set *set)
{
    memset(set, 0, sizeof *set);
    order->kind->keep(order, set);
}

bool order_number_fold(const char *text, char out[NUMBER_BYTES])
{
    char folded[4 * NUMBER_BYTES];
    if (!text || !text_fold(folded, sizeof folded, text) || !folded[0] || strlen(folded) >= NUMBER_BYTES)
        return false;
    for (size_t i = 0; i <= strlen(folded); i++)
        out[i] = (char)toupper((unsigned char)folded[i]);
    return true;
}

static enum fd_code not_found(const char *number, struct fd_error *err)
{
    char clean[4 * NUMBER_BYTES];
    text_clean(clean, sizeof clean, number ? number : "");
    return fd_fail(err, FD_NOT_FOUND, _("There is no order %s."), clean);
}

/* By whole number or id, asking each kind. *order NULL where nobody knows it. */
static enum fd_code find_whole(struct db *db, const char *number, struct arena *arena, struct order **order,
                               struct fd_error *err)
{
    bool by_id = number[0] == '#';
    int64_t id = by_id && text_is_digits(number + 1) && strlen(number) < 19 ? strtoll(number + 1, NULL, 10) : 0;
    *order = NULL;
    for (size_t i = 0; i < kind_count && !*order; i++) {
        enum fd_code code =
            by_id ? kinds[i]->load_id(db, id, arena, order, err) : kinds[i]->load_no(db, number, arena, order, err);
        if (code != FD_OK)
            return code;
    }
    return FD_OK;
}

struct tail_hits {
    const struct order_kind *kind; /* of the first */
    char first[NUMBER_BYTES];
    size_t count;
    struct buf list;
};

static enum fd_code ask_tail(struct db *db, const struct order_kind *kind, const char *reversed, struct tail_hits *hits,
                             struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(db, kind->tail, DB_ARGS(db_text("rev", reversed)), &rows, err);
    if (code != FD_OK)
        return code;
    while (db_next(rows)) {
        const char *number = db_get_text(rows, 0);
        if (hits->count == 0) {
            hits->kind = kind;
            cut_copy(hits->first, sizeof hits->first, number);
        }
        if (hits->count < LISTED_MOST)
            buf_printf(&hits->list, "%s%s", hits->count ? C_("list", ", ") : "", number);
        else if (hits->count == LISTED_MOST)
            buf_add(&hits->list, ", …");
        hits->count++;
    }
    db_rows_close(&rows);
    return FD_OK;
}

/* The index is on the reversed number: a tail is a prefix there. */
static bool reverse_for_like(const char *number, char *out, size_t out_bytes)
{
    char reversed[NUMBER_BYTES];
    size_t length = strlen(number);
    for (size_t i = 0; i < length; i++)
        reversed[i] = number[length - 1 - i];
    reversed[length] = '\0';
    if (!text_like(out, out_bytes - 1, reversed))
        return false;
    strcat(out, "%");
    return true;
}

static bool is_ascii(const char *text)
{
    while (*text && (unsigned char)*text < 0x80)
        text++;
    return !*text;
}

static enum fd_code find_tail(struct db *db, const char *number, struct arena *arena, struct order **order,
                              struct fd_error *err)
{
    char reversed[2 * NUMBER_BYTES];
    struct tail_hits hits = {0};
    enum fd_code code = FD_OK;
    if (!is_ascii(number) || !reverse_for_like(number, reversed, sizeof reversed))
        return FD_OK;
    for (size_t i = 0; i < kind_count && code == FD_OK; i++)
        if (kinds[i]->tail)
            code = ask_tail(db, kinds[i], reversed, &hits, err);
    if (code == FD_OK && hits.count > 1)
        code = fd_fail(err, FD_AMBIGUOUS, _("%s is the end of several numbers: %s"), number, buf_text(&hits.list));
    if (code == FD_OK && hits.count == 1)
        code = hits.kind->load_no(db, hits.first, arena, order, err);
    buf_release(&hits.list);
    return code;
}

enum fd_code order_find(struct db *db, const char *text, struct arena *arena, struct order **order,
                        struct fd_error *err)
{
    char number[NUMBER_BYTES];
    if (!order_number_fold(text, number))
        return not_found(text, err);
    enum fd_code code = find_whole(db, number, arena, order, err);
    if (code != FD_OK || *order)
        return code;
    if (number[0] == '#')
        return not_found(number, err);
    if (strlen(number) < TAIL_LEAST) {
        not_found(number, err);
        fd_hint(err, _("Give at least the last %d characters."), TAIL_LEAST);
        return FD_NOT_FOUND;
    }
    code = find_tail(db, number, arena, order, err);
    return code == FD_OK && !*order ? not_found(number, err) : code;
}
