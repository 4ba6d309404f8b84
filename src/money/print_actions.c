/* The subcommands of printing, and what other subcommands print at their end. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/money.h"
#include "base/text.h"
#include "money/print_internal.h"
#include "outside/qr.h"

enum { TEXT_COLUMNS = 48, FLUSH_MOST = 20, TEST_LIMIT_MS = 8000 };

static enum fd_code shown_apply(struct op *op, void *arg, struct fd_error *err)
{
    (void)err;
    const struct print_made *made = arg;
    op_log(op, &(struct log_entry){.entity = "print", .entity_no = made->subject, .event = "show"});
    return FD_OK;
}

/* Who saw a slip without printing it stands in the log too; the role is checked with it. */
static enum fd_code log_shown(struct call *call, const struct print_made *made, struct fd_error *err)
{
    char name[64];
    const struct op_spec spec = {.action = action_name(call->action, name),
                                 .key = call->key,
                                 .content = arena_printf(&call->arena, "show\n%s", made->subject),
                                 .apply = shown_apply};
    return op_run(call->desk, &spec, (void *)made, NULL, NULL, err);
}

static enum fd_code write_file(struct call *call, const struct print_made *made, const char *path, struct fd_error *err)
{
    struct qr qr;
    if (!made->payload)
        return fd_fail(err, FD_BAD_INPUT, _("file: this slip has no code."));
    enum fd_code code = qr_make(made->payload, QR_LEVEL_M, &call->arena, &qr, err);
    if (code == FD_OK)
        code = qr_write_file(&qr, path, err);
    if (code == FD_OK)
        call_say(call, _("The code is in %s."), path);
    return code;
}

/* On the screen or into a file instead of on paper. */
static enum fd_code show(struct call *call, enum print_kind kind, const char *path, struct fd_error *err)
{
    struct print_made made;
    enum fd_code code = print_make(call->desk, kind, call_text(call, "number"), &call->arena, &made, err);
    if (code == FD_OK)
        code = log_shown(call, &made, err);
    if (code == FD_OK && path)
        code = write_file(call, &made, path, err);
    if (code == FD_OK) {
        call->answer = tree_object();
        tree_put_text(call->answer, "kind", print_kind_name(kind));
        tree_put_text(call->answer, "subject", made.subject);
    }
    if (code == FD_OK && call_switch(call, "text")) {
        char *text = document_as_text(made.document, TEXT_COLUMNS);
        tree_put_text(call->answer, "text", text);
        buf_add(&call->text, text);
        free(text);
    }
    document_free(&made.document);
    return code;
}

static bool has_param(const struct action *action, const char *name)
{
    for (const struct action_param *param = action->params; param && param->name; param++)
        if (strcmp(param->name, name) == 0)
            return true;
    return false;
}

static enum fd_code slip_run(struct call *call, enum print_kind kind, struct fd_error *err)
{
    int64_t id;
    const char *number = call_text(call, "number");
    const char *path = has_param(call->action, "file") ? call_text(call, "file") : NULL;
    if (call_switch(call, "text") || path)
        return show(call, kind, path, err);
    enum fd_code code = print_queue_key(call->desk, call->key, kind, number, false, &id, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_object();
    tree_put_int(call->answer, "id", id);
    tree_put_text(call->answer, "kind", print_kind_name(kind));
    return FD_OK;
}

static enum fd_code receipt_run(struct call *call, struct fd_error *err)
{
    return slip_run(call, PRINT_RECEIPT, err);
}

static enum fd_code code_run(struct call *call, struct fd_error *err)
{
    return slip_run(call, PRINT_CODE, err);
}

static enum fd_code ticket_run(struct call *call, struct fd_error *err)
{
    return slip_run(call, PRINT_TICKET, err);
}

static enum fd_code refund_run(struct call *call, struct fd_error *err)
{
    return slip_run(call, PRINT_REFUND, err);
}

static enum fd_code shift_run(struct call *call, struct fd_error *err)
{
    return slip_run(call, PRINT_SHIFT, err);
}

/* Straight to the printer: what is to be tried is the way to it, and no database is needed for that. */
static enum fd_code test_run(struct call *call, struct fd_error *err)
{
    struct printer printer;
    struct print_made made;
    struct buf bytes = {0};
    char host[NAME_BYTES] = "";
    const char *terminal = config_text(call->config, CONFIG_TERMINAL);
    if (!terminal[0] && gethostname(host, sizeof host - 1) == 0)
        terminal = host;
    enum fd_code code = printer_from_config(call->config, &printer, err);
    if (code != FD_OK)
        return code;
    print_make_test(call->config, terminal, &made);
    call->answer = tree_object();
    tree_put_text(call->answer, "target", printer.target);
    if (call_switch(call, "text")) {
        char *text = document_as_text(made.document, printer.columns);
        buf_add(&call->text, text);
        free(text);
    } else {
        document_escpos(made.document, &printer, &bytes);
        code = printer_send(&printer, bytes.text, bytes.bytes, TEST_LIMIT_MS, err);
        if (code == FD_OK)
            call_say(call, _("The test page was sent to %s."), printer.target);
    }
    buf_release(&bytes);
    document_free(&made.document);
    return code;
}

const char *print_status_label(const char *status)
{
    static const struct {
        const char *status, *label;
    } labels[] = {
        {"WAITING", NC_("print", "waiting")},
        {"SENDING", NC_("print", "printing")},
        {"DONE", NC_("print", "printed")},
        {"DROPPED", NC_("print", "given up")},
    };
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (strcmp(labels[i].status, status) == 0)
            return i18n_label(labels[i].label);
    return status;
}

static struct tree *row_tree(const struct print_row *row)
{
    char at[WALL_TEXT];
    struct tree *tree = tree_object();
    tree_put_int(tree, "id", row->id);
    tree_put_text(tree, "created_at", row->created_at == WALL_NONE ? NULL : wall_sql(row->created_at, at));
    tree_put_text(tree, "terminal", row->terminal);
    tree_put_text(tree, "kind", row->kind);
    tree_put_text(tree, "subject", row->subject);
    tree_put_text(tree, "status", row->status);
    tree_put_int(tree, "copy", row->copy);
    tree_put_int(tree, "tries", row->tries);
    tree_put_text(tree, "operator", row->operator);
    tree_put_text(tree, "trouble", row->trouble[0] ? row->trouble : NULL);
    return tree;
}

static enum fd_code list_run(struct call *call, struct fd_error *err)
{
    struct print_row *rows;
    size_t count;
    enum fd_code code = print_list(call->desk, call_switch(call, "all"), &call->arena, &rows, &count, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_list();
    for (size_t i = 0; i < count; i++)
        tree_add(call->answer, row_tree(&rows[i]));
    return FD_OK;
}

static enum fd_code drop_run(struct call *call, struct fd_error *err)
{
    int64_t id = 0;
    enum fd_code code = call_int(call, "id", 0, &id, err);
    if (code == FD_OK)
        code = print_drop(call->desk, call->key, id, call->reason, err);
    if (code != FD_OK)
        return code;
    call->answer = tree_object();
    tree_put_int(call->answer, "id", id);
    call_say(call, _("Print job %lld is given up."), (long long)id);
    return FD_OK;
}

static enum fd_code flush_run(struct call *call, struct fd_error *err)
{
    struct printer printer;
    enum fd_code code = printer_from_config(call->config, &printer, err);
    if (code == FD_OK && !printer.target[0])
        code = printer_send(&printer, "", 0, 0, err);
    if (code == FD_OK)
        code = print_retry(call->desk, err);
    if (code == FD_OK)
        call->answer = tree_object();
    return code;
}

/* What an answer calls for: where its number stands, and what is printed of it. */
static const struct {
    const char *action; /* NULL: of any */
    const char *within; /* a member that is an object; NULL: the answer itself */
    const char *key;
    const char *only_key, *only_value; /* another member that must say so; NULL: none */
    enum print_kind kind;
} calls_for[] = {
    {NULL, NULL, "payment_no", NULL, NULL, PRINT_RECEIPT},   {NULL, "payment", "payment_no", NULL, NULL, PRINT_RECEIPT},
    {NULL, "paid", "payment_no", NULL, NULL, PRINT_RECEIPT}, {NULL, NULL, "receipt_no", "state", "paid", PRINT_RECEIPT},
    {NULL, NULL, "refund_no", NULL, NULL, PRINT_REFUND},     {NULL, "backed", "refund_no", NULL, NULL, PRINT_REFUND},
    {"shift.close", NULL, "id", NULL, NULL, PRINT_SHIFT},
};

/* The number, "" where this answer has none. */
static void number_in(const struct call *call, size_t row, char number[NUMBER_BYTES])
{
    const struct tree *tree = calls_for[row].within ? tree_get(call->answer, calls_for[row].within) : call->answer;
    const char *only = tree && calls_for[row].only_key ? tree_get_text(tree, calls_for[row].only_key) : NULL;
    char name[64];
    number[0] = '\0';
    if (!tree || (calls_for[row].action && strcmp(calls_for[row].action, action_name(call->action, name)) != 0) ||
        (calls_for[row].only_key && (!only || strcmp(only, calls_for[row].only_value) != 0)))
        return;
    if (tree_is_int(tree, calls_for[row].key))
        fit_printf_at(number, NUMBER_BYTES, "%lld", (long long)tree_get_int(tree, calls_for[row].key));
    else if (tree_is_text(tree, calls_for[row].key))
        cut_copy(number, NUMBER_BYTES, tree_get_text(tree, calls_for[row].key));
}

static bool prints_itself(const struct action *action)
{
    return strcmp(action->noun, "print") == 0 ||
           (strcmp(action->noun, "printer") == 0 && strcmp(action->verb, "flush") == 0);
}

bool print_after(struct call *call)
{
    char number[NUMBER_BYTES];
    struct fd_error err = {0};
    struct printer printer;
    bool queued = false;
    if (!call->desk || !call->answer || tree_is_list(call->answer))
        return false;
    if (prints_itself(call->action))
        return tree_get(call->answer, "text") == NULL && tree_get(call->answer, "subject") == NULL;
    enum fd_code code = printer_from_config(call->config, &printer, &err);
    if (!(call->action->flags & A_WRITE) || (code == FD_OK && !printer.target[0]))
        return false;
    for (size_t i = 0; i < sizeof calls_for / sizeof *calls_for && code == FD_OK; i++) {
        number_in(call, i, number);
        if (!number[0])
            continue;
        code = print_queue(call->desk, calls_for[i].kind, number, true, NULL, &err);
        queued = queued || code == FD_OK;
    }
    if (code != FD_OK) {
        log_error(&err);
        call_say(call, _("Nothing could be queued for the printer: %s"), err.message);
    }
    return queued;
}

void print_now(struct call *call)
{
    struct fd_error err = {0};
    int64_t done, left;
    enum fd_code code = print_flush(call->desk, FLUSH_MOST, &done, &left, &err);
    struct tree *tree = tree_object();
    tree_put_int(tree, "done", done);
    tree_put_int(tree, "waiting", left);
    tree_put_text(tree, "trouble", code == FD_OK ? NULL : err.message);
    tree_put(call->answer, "print", tree);
    if (left == 0 && code == FD_OK) {
        call_say(call, "%s", done ? _("Printed.") : _("Nothing waits for the printer."));
        return;
    }
    if (code != FD_OK)
        call_say(call, _("Not printed yet: %s %s"), err.message, err.hint);
    call_say(call,
             ngettext("%lld slip waits for the printer (frontdesk printer list, frontdesk printer flush).",
                      "%lld slips wait for the printer (frontdesk printer list, frontdesk printer flush).",
                      (unsigned long)left),
             (long long)left);
}

#define TEXT_PARAM                                                                                                     \
    {                                                                                                                  \
        "text", P_SWITCH, 0, NULL, N_("show it as text instead")                                                       \
    }
#define NUMBER_PARAM(flags, help)                                                                                      \
    {                                                                                                                  \
        "number", P_TEXT, (flags) | P_POSITIONAL, NULL, help                                                           \
    }
#define FILE_PARAM                                                                                                     \
    {                                                                                                                  \
        "file", P_TEXT, 0, NULL, N_("write its code to this file instead: .png or .svg")                               \
    }
#define END_PARAM                                                                                                      \
    {                                                                                                                  \
        NULL, P_TEXT, 0, NULL, NULL                                                                                    \
    }

static const struct action_param receipt_params[] = {
    NUMBER_PARAM(P_REQUIRED, N_("receipt, payment or order number; of an order its last payment")), TEXT_PARAM,
    END_PARAM};
static const struct action_param code_params[] = {
    NUMBER_PARAM(P_REQUIRED, N_("payment or order number whose code can still be paid")), TEXT_PARAM, FILE_PARAM,
    END_PARAM};
static const struct action_param ticket_params[] = {
    NUMBER_PARAM(P_REQUIRED, N_("order: whole number, or its last 4 characters or more")), TEXT_PARAM, FILE_PARAM,
    END_PARAM};
static const struct action_param refund_params[] = {
    NUMBER_PARAM(P_REQUIRED, N_("refund or order number; of an order its last refund")), TEXT_PARAM, END_PARAM};
static const struct action_param shift_params[] = {
    NUMBER_PARAM(0, N_("number of the shift (default: the open one of this terminal)")), TEXT_PARAM, END_PARAM};
static const struct action_param test_params[] = {TEXT_PARAM, END_PARAM};
static const struct action_param list_params[] = {{"all", P_SWITCH, 0, NULL, N_("of every terminal, and what is done")},
                                                  END_PARAM};
static const struct action_param drop_params[] = {
    {"id", P_INT, P_REQUIRED | P_POSITIONAL, NULL, N_("number of the job (printer list)")}, END_PARAM};
static const struct column list_columns[] = {
    {"id", N_("Job"), 1, false},
    {"created_at", N_("Time"), -1, false},
    {"kind", N_("Slip"), -1, false},
    {"subject", N_("Number"), -1, false},
    {"status", N_("State"), -1, false},
    {"tries", N_("Tries"), 1, false},
    {"terminal", N_("Terminal"), -1, false},
    {"trouble", N_("Trouble"), -1, false},
    {NULL, NULL, 0, false},
};

#define SLIP_FLAGS (A_OPERATOR | A_WRITE | A_CONSOLE)
const struct action print_actions[] = {
    {"print", "receipt", NULL, N_("print the receipt of a payment"), N_("The second one is marked as a copy."),
     receipt_params, NULL, SLIP_FLAGS, "clerk finance admin kiosk", receipt_run},
    {"print", "code", NULL, N_("print a payment code"), NULL, code_params, NULL, SLIP_FLAGS,
     "clerk finance admin kiosk", code_run},
    {"print", "ticket", NULL, N_("print the ticket for checking in"), NULL, ticket_params, NULL, SLIP_FLAGS,
     "clerk finance admin kiosk", ticket_run},
    {"print", "refund", NULL, N_("print the slip of a refund"), N_("The second one is marked as a copy."),
     refund_params, NULL, SLIP_FLAGS, "clerk finance admin", refund_run},
    {"print", "shift", NULL, N_("print the report of a shift"), NULL, shift_params, NULL, SLIP_FLAGS,
     "clerk finance admin", shift_run},
    {"printer", "test", NULL, N_("print a test page"), N_("Waits for nothing else, and needs no database."),
     test_params, NULL, A_NO_DB | A_CONSOLE, "", test_run},
    {"printer", "list", NULL, N_("list what waits for the printer"), NULL, list_params, list_columns,
     A_OPERATOR | A_CONSOLE, "clerk finance admin", list_run},
    {"printer", "flush", NULL, N_("print now what waits for the printer"), NULL, NULL, NULL, A_OPERATOR | A_CONSOLE,
     "clerk finance admin kiosk", flush_run},
    {"printer", "drop", NULL, N_("give up a print job"), NULL, drop_params, NULL, A_OPERATOR | A_WRITE | A_CONSOLE,
     "clerk finance admin", drop_run},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL},
};
