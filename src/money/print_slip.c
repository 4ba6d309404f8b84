/* Slips of an order, a refund, a shift, and the test page. */
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "core/rule.h"
#include "money/print_internal.h"
#include "money/shift.h"

static enum fd_code no_ticket(const struct order *order, struct fd_error *err)
{
    if (rule_find(order->kind->entity, order->state, "pay"))
        return fd_fail(err, FD_UNPAID, _("Order %s is not paid; there is no ticket for it yet."), order->order_no);
    return fd_fail(err, FD_WRONG_STATE, _("Order %s is %s; there is no ticket for it."), order->order_no,
                   state_label(order->kind->entity, order->state));
}

enum fd_code print_make_ticket(struct db *db, struct print_want *want, struct fd_error *err)
{
    struct order *order;
    struct order_words words = {"", ""};
    char places[24];
    enum fd_code code = order_find(db, want->number, want->arena, &order, err);
    if (code != FD_OK)
        return code;
    if (order->check_in_time == WALL_NONE && !rule_find(order->kind->entity, order->state, "check_in"))
        return no_ticket(order, err);
    if (order->kind->words)
        words = order->kind->words(order, want->arena);
    struct document *document = want->made->document = document_new();
    cut_copy(want->made->subject, sizeof want->made->subject, order->order_no);
    want->made->payload = order->order_no;
    document_title(document, words.what);
    document_title(document, words.when);
    document_rule(document);
    fit_printf(places, "%lld", (long long)order->quantity);
    document_strong_pair(document, C_("slip", "Places"), places);
    document_pair(document, _("Order"), order->order_no);
    slip_wall(document, _("Checked in"), order->check_in_time);
    slip_word(document, _("Note"), order->note);
    document_qr(document, order->order_no);
    document_centre(document, _("Scan this code at the kiosk, or say the last 4 characters at the desk."));
    return FD_OK;
}

DB_QUERY(q_refund, "print.refund", DB_ROWS,
         "SELECT r.refund_no, r.order_no, r.amount, r.quantity, r.channel, r.reason, r.status, r.operator, r.terminal, "
         "r.created_at, r.finished_at, r.reference, COALESCE(p.receipt_no, p.payment_no, p.order_no) "
         "FROM refund_record r LEFT JOIN payment_record p ON p.id = r.payment_id WHERE r.refund_no = :number "
         "ORDER BY r.id DESC LIMIT 1");
DB_QUERY(q_refund_of, "print.refund_of", DB_ROWS,
         "SELECT r.refund_no, r.order_no, r.amount, r.quantity, r.channel, r.reason, r.status, r.operator, r.terminal, "
         "r.created_at, r.finished_at, r.reference, COALESCE(p.receipt_no, p.payment_no, p.order_no) "
         "FROM refund_record r LEFT JOIN payment_record p ON p.id = r.payment_id WHERE r.order_no = :number "
         "ORDER BY r.id DESC LIMIT 1");

static const char *refund_state(const char *status)
{
    static const struct {
        const char *status, *label;
    } labels[] = {
        {"SUCCESS", NC_("refund", "Paid back")},
        {"CREATED", NC_("refund", "On its way back")},
        {"PROCESSING", NC_("refund", "On its way back")},
    };
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (strcmp(labels[i].status, status) == 0)
            return i18n_label(labels[i].label);
    return C_("refund", "Not through yet; we see to it");
}

static void add_refund(const struct db_rows *rows, const struct order *order, struct print_want *want)
{
    struct document *document = want->made->document = document_new();
    char quantity[24];
    cut_copy(want->made->subject, sizeof want->made->subject, db_get_text(rows, 0));
    document_title(document, print_kind_label(PRINT_REFUND));
    document_pair(document, _("Number"), db_get_text(rows, 0));
    slip_wall(document, _("Time"), db_get_wall(rows, 9));
    document_rule(document);
    if (order)
        slip_order(document, order, -1, want->arena);
    else
        document_pair(document, _("Order"), db_get_text(rows, 1));
    slip_word(document, _("Receipt"), db_get_text(rows, 12));
    if (db_get_int(rows, 3) > 0) {
        fit_printf(quantity, "%lld", (long long)db_get_int(rows, 3));
        document_pair(document, _("Places given back"), quantity);
    }
    document_rule(document);
    slip_total(document, _("Refunded"), db_get_fen(rows, 2));
    slip_word(document, _("Paid back by"), slip_channel(db_get_text(rows, 4)));
    slip_word(document, _("State"), refund_state(db_get_text(rows, 6)));
    slip_wall(document, _("Done"), db_get_wall(rows, 10));
    slip_word(document, _("Reference"), db_get_text(rows, 11));
    slip_word(document, _("Reason"), db_get_text(rows, 5));
    slip_foot(document, db_get_text(rows, 7), db_get_text(rows, 8));
    document_blank(document);
    document_text(document, _("Customer's signature:"));
    document_blank(document);
}

static enum fd_code refund_by(struct db *db, struct db_query *query, const char *number, struct print_want *want,
                              struct fd_error *err)
{
    struct db_rows *rows;
    struct order *order;
    enum fd_code code = db_select(db, query, DB_ARGS(db_text("number", number)), &rows, err);
    if (code != FD_OK)
        return code;
    if (db_next(rows)) {
        code = print_order(db, db_get_text(rows, 1), want->arena, &order, err);
        if (code == FD_OK)
            add_refund(rows, order, want);
    }
    db_rows_close(&rows);
    return code;
}

enum fd_code print_make_refund(struct db *db, struct print_want *want, struct fd_error *err)
{
    char number[65];
    int64_t id;
    struct order *order = NULL;
    if (!print_number_fold(want->number, number, &id))
        return fd_fail(err, FD_NOT_FOUND, _("There is no refund with this number."));
    enum fd_code code = refund_by(db, &q_refund, number, want, err);
    if (code == FD_OK && !want->made->document)
        code = print_order(db, want->number, want->arena, &order, err);
    if (code == FD_OK && order)
        code = refund_by(db, &q_refund_of, order->order_no, want, err);
    if (code == FD_OK && !want->made->document)
        code = fd_fail(err, FD_NOT_FOUND, _("There is no refund with the number %s."), number);
    return code;
}

static void add_tenders(struct document *document, const struct shift_sum *sum, struct arena *arena)
{
    char fen[FEN_TEXT];
    for (size_t i = 0; i < sum->line_count; i++) {
        const struct shift_line *line = &sum->lines[i];
        document_pair(document,
                      arena_printf(arena, "%s \u00d7%lld", slip_channel(line->channel), (long long)line->count),
                      fen_text(line->fen, fen));
        if (line->back_count > 0)
            document_pair(document, arena_printf(arena, _("  given back \u00d7%lld"), (long long)line->back_count),
                          arena_printf(arena, "-%s", fen_text(line->back_fen, fen)));
    }
}

static void add_drawer(struct document *document, const struct shift_sum *sum)
{
    slip_money(document, _("Float"), sum->opening_fen);
    slip_money(document, _("Cash taken"), sum->cash_fen);
    slip_money(document, _("Cash given back"), -sum->cash_back_fen);
    slip_money(document, _("Put in"), sum->in_fen);
    slip_money(document, _("Taken out"), -sum->out_fen);
    slip_total(document, _("Expected"), sum->expected_fen);
    if (sum->closed_at == WALL_NONE)
        return;
    slip_total(document, _("Counted"), sum->counted_fen);
    slip_total(document, _("Difference"), sum->difference_fen);
    if (sum->first_counted_fen >= 0 && sum->first_counted_fen != sum->counted_fen)
        slip_money(document, _("Counted first"), sum->first_counted_fen);
    slip_word(document, _("Explanation"), sum->explanation);
    slip_money(document, _("Left for the next shift"), sum->left_fen);
}

static void add_hand_over(struct document *document, const struct shift_sum *sum)
{
    const struct {
        const char *label;
        int64_t count;
    } lines[] = {
        {N_("Unpaid holds"), sum->unpaid}, {N_("Live codes"), sum->live_codes},  {N_("Goods out"), sum->goods_out},
        {N_("Open cases"), sum->cases},    {N_("Changed orders"), sum->changed},
    };
    char count[24];
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        fit_printf(count, "%lld", (long long)lines[i].count);
        document_pair(document, _(lines[i].label), count);
    }
}

enum fd_code print_make_shift(struct desk *desk, struct print_want *want, struct fd_error *err)
{
    struct shift_sum *sum;
    const char *number = want->number + (want->number[0] == '#');
    if (number[0] && (strlen(number) > 18 || !text_is_digits(number)))
        return fd_fail(err, FD_BAD_INPUT, _("A shift is named by its number."));
    enum fd_code code = shift_report(desk, number[0] ? strtoll(number, NULL, 10) : 0, want->arena, &sum, err);
    if (code != FD_OK)
        return code;
    struct document *document = want->made->document = document_new();
    /* How it stands meanwhile is not the report of its close, whose original is still to come. */
    fit_printf(want->made->subject, sum->closed_at == WALL_NONE ? "%lld open" : "%lld", (long long)sum->id);
    document_title(document, print_kind_label(PRINT_SHIFT));
    document_pair(document, _("Shift"), arena_printf(want->arena, "%lld", (long long)sum->id));
    document_pair(document, _("Terminal"), sum->terminal);
    slip_wall(document, _("Opened"), sum->opened_at);
    slip_word(document, _("Opened by"), sum->opened_by);
    slip_wall(document, _("Closed"), sum->closed_at);
    slip_word(document, _("Closed by"), sum->closed_by);
    document_rule(document);
    /* Whoever has still to count does not read here what should be there. */
    if (sum->blind) {
        document_text(document, _("The sums are printed when the drawer has been counted."));
    } else {
        add_tenders(document, sum, want->arena);
        document_rule(document);
        add_drawer(document, sum);
    }
    document_rule(document);
    add_hand_over(document, sum);
    document_blank(document);
    document_text(document, _("Handed over by:"));
    document_blank(document);
    document_text(document, _("Taken over by:"));
    document_blank(document);
    return FD_OK;
}

void print_make_test(const struct config *config, const char *terminal, struct print_made *made)
{
    struct document *document = made->document = document_new();
    struct printer printer;
    char size[64];
    cut_copy(made->subject, sizeof made->subject, terminal);
    document_title(document, print_kind_label(PRINT_TEST));
    slip_word(document, _("Terminal"), terminal);
    if (printer_from_config(config, &printer, NULL) == FD_OK) {
        document_pair(document, _("Printer"), printer.target);
        fit_printf(size, "%d / %d", printer.columns, printer.dots);
        document_pair(document, _("Columns / dots"), size);
        document_pair(document, _("Code"), printer.qr == PRINTER_QR_NATIVE ? "native" : "raster");
    }
    document_rule(document);
    document_text(document, "0123456789012345678901234567890123456789012345678901234567890123");
    document_text(document, "\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341\u4e00\u4e8c\u4e09\u56db\u4e94"
                            "\u516d\u4e03\u516b\u4e5d\u5341\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b");
    slip_total(document, "\u5408\u8ba1 Total", 123456);
    document_qr(document, "frontdesk printer test");
    document_centre(document, _("A code stands above this line: \"frontdesk printer test\"."));
}
