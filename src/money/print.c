/* Documents of what happened: the kinds, and what all slips have in common. */
#include "money/print_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "money/pay.h"

typedef enum fd_code make_fn(struct db *db, struct print_want *want, struct fd_error *err);
static const struct {
    const char *name, *label;
    make_fn *make; /* NULL: see print_make */
} kinds[PRINT_KIND_COUNT] = {
    [PRINT_RECEIPT] = {"receipt", NC_("slip", "Receipt"), print_make_receipt},
    [PRINT_CODE] = {"code", NC_("slip", "Payment code"), print_make_code},
    [PRINT_TICKET] = {"ticket", NC_("slip", "Ticket"), print_make_ticket},
    [PRINT_REFUND] = {"refund", NC_("slip", "Refund"), print_make_refund},
    [PRINT_SHIFT] = {"shift", NC_("slip", "Shift report"), NULL},
    [PRINT_TEST] = {"test", NC_("slip", "Test page"), NULL},
};

const char *print_kind_name(enum print_kind kind)
{
    return kinds[kind].name;
}

const char *print_kind_label(enum print_kind kind)
{
    return i18n_label(kinds[kind].label);
}

struct making {
    struct print_want want;
    make_fn *make;
};

static enum fd_code make_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct making *making = arg;
    /* A run before this one may have made it already. */
    document_free(&making->want.made->document);
    return making->make(db, &making->want, err);
}

enum fd_code print_make(struct desk *desk, enum print_kind kind, const char *number, struct arena *arena,
                        struct print_made *made, struct fd_error *err)
{
    *made = (struct print_made){0};
    struct making making = {{number ? number : "", arena, made}, kinds[kind].make};
    enum fd_code code = FD_OK;
    if (kind == PRINT_TEST)
        print_make_test(desk->config, desk->terminal, made);
    else if (kind == PRINT_SHIFT)
        code = print_make_shift(desk, &making.want, err);
    else
        code = desk_read(desk, "print.make", make_txn, &making, err);
    if (code != FD_OK)
        document_free(&made->document);
    return code;
}

void print_mark(struct document *document, int64_t copy)
{
    if (copy <= 0)
        return;
    char *mark = xprintf(_("*** COPY %lld ***"), (long long)copy);
    document_top(document, mark);
    free(mark);
}

enum fd_code print_document(struct desk *desk, enum print_kind kind, const char *number, int64_t copy,
                            struct document **document, struct fd_error *err)
{
    struct arena arena = {0};
    struct print_made made;
    enum fd_code code = print_make(desk, kind, number, &arena, &made, err);
    if (code == FD_OK)
        print_mark(made.document, copy);
    *document = code == FD_OK ? made.document : NULL;
    arena_release(&arena);
    return code;
}

enum fd_code print_order(struct db *db, const char *number, struct arena *arena, struct order **order,
                         struct fd_error *err)
{
    struct fd_error local = {0};
    *order = NULL;
    enum fd_code code = order_find(db, number, arena, order, &local);
    if (code == FD_NOT_FOUND || code == FD_AMBIGUOUS)
        *order = NULL;
    else if (code != FD_OK && err)
        *err = local;
    return code == FD_NOT_FOUND || code == FD_AMBIGUOUS ? FD_OK : code;
}

bool print_number_fold(const char *text, char out[65], int64_t *id)
{
    char folded[NUMBER_BYTES];
    *id = 0;
    out[0] = '\0';
    if (text[0] == '#' && text[1] && strlen(text) < 19 && text_is_digits(text + 1)) {
        *id = strtoll(text + 1, NULL, 10);
        return true;
    }
    /* Numbers of channels are longer than ours. */
    if (strlen(text) < 65 && text_is_digits(text)) {
        cut_copy(out, 65, text);
        return text[0] != '\0';
    }
    if (!order_number_fold(text, folded))
        return false;
    cut_copy(out, 65, folded);
    return true;
}

void slip_money(struct document *document, const char *label, int64_t fen)
{
    char amount[FEN_TEXT];
    document_pair(document, label, fen_text(fen, amount));
}

void slip_total(struct document *document, const char *label, int64_t fen)
{
    char amount[FEN_TEXT], *text = xprintf("\u00a5%s", fen_text(fen, amount));
    document_strong_pair(document, label, text);
    free(text);
}

void slip_wall(struct document *document, const char *label, wall_t wall)
{
    char text[WALL_TEXT];
    if (wall != WALL_NONE)
        document_pair(document, label, wall_sql(wall, text));
}

void slip_word(struct document *document, const char *label, const char *value)
{
    if (value[0])
        document_pair(document, label, value);
}

void slip_order(struct document *document, const struct order *order, int64_t fen, struct arena *arena)
{
    struct order_words words = {order->order_no, ""};
    if (order->kind->words)
        words = order->kind->words(order, arena);
    const char *what =
        order->quantity > 1 ? arena_printf(arena, "%s \u00d7%lld", words.what, (long long)order->quantity) : words.what;
    if (fen < 0)
        document_text(document, what);
    else
        slip_money(document, what, fen);
    if (words.when[0])
        document_text(document, words.when);
    document_pair(document, _("Order"), order->order_no);
}

void slip_foot(struct document *document, const char *operator, const char * terminal)
{
    document_rule(document);
    slip_word(document, _("Operator"), operator);
    slip_word(document, _("Terminal"), terminal);
}

const char *slip_channel(const char *channel)
{
    for (size_t i = 0; i < TENDER_COUNT; i++)
        if (strcmp(tenders[i].channel, channel) == 0)
            return i18n_label(tenders[i].label);
    return channel;
}
