/* The queue: WAITING, SENDING while a process has the printer, DONE; or DROPPED by a person. A process that dies while
 * it sends leaves SENDING behind; whoever finds it after its time sends it again, marked as a copy, because nobody
 * knows how much of it came out. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"
#include "money/print_internal.h"

enum { SEND_LIMIT_MS = 8000, LEASE_S = 60, PAUSE_S = 5, PAUSE_MOST_S = 60, LIST_MOST = 200 };

DB_QUERY(q_before, "print.before", DB_ROW,
         "SELECT id FROM print_job WHERE subject = :subject AND kind = :kind AND status <> 'DROPPED' "
         "ORDER BY id LIMIT 1");
/* Two that count none at once would both be the original: the unique key on originals lets one of them through, and the
 * other runs again. What was given up while it was being sent may be on paper. What nobody asked for is not written
 * beside one that came since it was looked for. */
DB_QUERY(q_insert, "print.insert", DB_NONE,
         "INSERT INTO print_job (terminal, kind, subject, copy, document, status, operator) "
         "SELECT :terminal, :kind, :subject, COUNT(*), :document, 'WAITING', :operator FROM print_job "
         "WHERE subject = :subject AND kind = :kind AND (status <> 'DROPPED' OR copy > 0) "
         "HAVING :once = 0 OR COALESCE(SUM(status <> 'DROPPED'), 0) = 0");
DB_QUERY(q_retry, "print.retry", DB_NONE,
         "UPDATE print_job SET next_at = NULL WHERE terminal = :terminal AND status = 'WAITING' "
         "AND next_at IS NOT NULL");

struct queueing {
    enum print_kind kind;
    const char *terminal;
    const struct print_made *made;
    bool unless_asked;
};

static enum fd_code find_before(struct op *op, const struct queueing *queueing, int64_t *id, struct fd_error *err)
{
    struct db_rows *rows;
    enum fd_code code = db_select(
        op_db(op), &q_before,
        DB_ARGS(db_text("subject", queueing->made->subject), db_text("kind", print_kind_name(queueing->kind))), &rows,
        err);
    if (code != FD_OK)
        return code;
    *id = db_next(rows) ? db_get_int(rows, 0) : 0;
    db_rows_close(&rows);
    return FD_OK;
}

static enum fd_code insert(struct op *op, const struct queueing *queueing, int64_t *id, struct fd_error *err)
{
    char *json = document_json(queueing->made->document);
    int64_t changed = 0;
    enum fd_code code =
        db_exec(op_db(op), &q_insert,
                DB_ARGS(db_text("terminal", queueing->terminal), db_text("kind", print_kind_name(queueing->kind)),
                        db_text("subject", queueing->made->subject), db_text("document", json),
                        db_text("operator", op_desk(op)->operator), db_int("once", queueing->unless_asked)),
                &changed, err);
    free(json);
    if (code == FD_OK && changed == 0)
        code = fd_fail(err, FD_RETRY, NULL);
    if (code != FD_OK)
        return code;
    *id = db_insert_id(op_db(op));
    op_log(op, &(struct log_entry){.entity = "print",
                                   .entity_no = queueing->made->subject,
                                   .event = print_kind_name(queueing->kind),
                                   .state_after = "WAITING"});
    return FD_OK;
}

static enum fd_code queue_apply(struct op *op, void *arg, struct fd_error *err)
{
    const struct queueing *queueing = arg;
    int64_t id = 0;
    enum fd_code code = FD_OK;
    if (queueing->unless_asked)
        code = find_before(op, queueing, &id, err);
    if (code == FD_OK && id == 0)
        code = insert(op, queueing, &id, err);
    /* Somebody stands there and waits: what failed before is tried at once as well. */
    if (code == FD_OK && !queueing->unless_asked)
        code = db_exec(op_db(op), &q_retry, DB_ARGS(db_text("terminal", queueing->terminal)), NULL, err);
    if (code == FD_OK)
        op_result(op, arena_printf(op_arena(op), "{\"id\":%" PRId64 "}", id));
    return code;
}

static enum fd_code no_printer(struct fd_error *err)
{
    fd_fail(err, FD_CONFIG, "%s", _("No printer is configured."));
    fd_hint(err, "%s", _("Set [printer] target: file:/dev/usb/lp0, tcp:HOST:9100 or cups:QUEUE."));
    return FD_CONFIG;
}

enum fd_code print_queue_key(struct desk *desk, const char *key, enum print_kind kind, const char *number,
                             bool unless_asked, int64_t *id, struct fd_error *err)
{
    struct arena arena = {0};
    struct printer printer;
    struct print_made made = {0};
    struct queueing queueing = {kind, desk->terminal, &made, unless_asked};
    char *result = NULL;
    enum fd_code code = printer_from_config(desk->config, &printer, err);
    if (id)
        *id = 0;
    if (code == FD_OK && !printer.target[0])
        return unless_asked ? FD_OK : no_printer(err);
    if (code == FD_OK)
        code = print_make(desk, kind, number, &arena, &made, err);
    const struct op_spec spec = {
        .action = arena_printf(&arena, "print.%s", print_kind_name(kind)),
        .key = key,
        .content = arena_printf(&arena, "%s\n%s", print_kind_name(kind), made.subject),
        .apply = queue_apply,
        /* The action that calls for it was permitted. */
        .no_permission = unless_asked,
    };
    if (code == FD_OK)
        code = op_run(desk, &spec, &queueing, &result, NULL, err);
    struct tree *tree = code == FD_OK && result ? tree_parse(result) : NULL;
    if (tree && id)
        *id = tree_get_int(tree, "id");
    tree_free(&tree);
    free(result);
    document_free(&made.document);
    arena_release(&arena);
    return code;
}

enum fd_code print_queue(struct desk *desk, enum print_kind kind, const char *number, bool unless_asked, int64_t *id,
                         struct fd_error *err)
{
    return print_queue_key(desk, NULL, kind, number, unless_asked, id, err);
}

DB_QUERY(q_next, "print.next", DB_ROW,
         "SELECT id, status, tries, copy, document, next_at IS NULL OR next_at <= NOW() FROM print_job "
         "WHERE terminal = :terminal AND status IN ('WAITING', 'SENDING') ORDER BY id LIMIT 1");
DB_QUERY(q_claim, "print.claim", DB_NONE,
         "UPDATE print_job SET copy = :copy, tries = tries + 1, next_at = NOW() + INTERVAL :lease SECOND, "
         "status = 'SENDING' WHERE id = :id AND status = :old AND tries = :tries");
DB_QUERY(q_done, "print.done", DB_NONE,
         "UPDATE print_job SET status = 'DONE', finished_at = NOW(), next_at = NULL, trouble = NULL "
         "WHERE id = :id AND status = 'SENDING' AND tries = :tries");
DB_QUERY(q_failed, "print.failed", DB_NONE,
         "UPDATE print_job SET status = :status, trouble = :trouble, next_at = NOW() + INTERVAL :pause SECOND "
         "WHERE id = :id AND status = 'SENDING' AND tries = :tries");
DB_QUERY(q_left, "print.left", DB_VALUE,
         "SELECT COUNT(*) FROM print_job WHERE terminal = :terminal AND status IN ('WAITING', 'SENDING')");

/* A job that this process has the printer for. */
struct sending_job {
    const char *terminal;
    int64_t id, tries, copy;
    char *json; /* NULL: there is none to send now */
    /* what became of it */
    const char *status;
    char trouble[256];
};

static enum fd_code claim_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct sending_job *job = arg;
    struct db_rows *rows;
    int64_t changed = 0;
    free(job->json);
    job->json = NULL;
    enum fd_code code = db_select(db, &q_next, DB_ARGS(db_text("terminal", job->terminal)), &rows, err);
    if (code != FD_OK)
        return code;
    /* The oldest first: where it is being sent by another process, or failed just now, the others wait behind it. */
    if (db_next(rows) && db_get_int(rows, 5) != 0) {
        bool interrupted = strcmp(db_get_text(rows, 1), "SENDING") == 0;
        job->id = db_get_int(rows, 0);
        job->tries = db_get_int(rows, 2) + 1;
        job->copy = db_get_int(rows, 3) + interrupted;
        job->json = xstrdup(db_get_text(rows, 4));
        code = db_exec(db, &q_claim,
                       DB_ARGS(db_int("copy", job->copy), db_int("lease", LEASE_S), db_int("id", job->id),
                               db_text("old", db_get_text(rows, 1)), db_int("tries", job->tries - 1)),
                       &changed, err);
        if (code == FD_OK && changed == 0)
            code = fd_fail(err, FD_RETRY, NULL);
    }
    db_rows_close(&rows);
    return code;
}

static enum fd_code ended_txn(struct db *db, void *arg, struct fd_error *err)
{
    const struct sending_job *job = arg;
    int64_t changed = 0, pause = PAUSE_S;
    for (int64_t i = 1; i < job->tries && pause < PAUSE_MOST_S; i++)
        pause *= 2;
    enum fd_code code =
        job->trouble[0]
            ? db_exec(db, &q_failed,
                      DB_ARGS(db_text("status", job->status), db_text("trouble", job->trouble),
                              db_int("pause", pause < PAUSE_MOST_S ? pause : PAUSE_MOST_S), db_int("id", job->id),
                              db_int("tries", job->tries)),
                      &changed, err)
            : db_exec(db, &q_done, DB_ARGS(db_int("id", job->id), db_int("tries", job->tries)), &changed, err);
    if (code == FD_OK && changed == 0)
        log_line(LOG_WARN, "print job %" PRId64 ": sent so slowly that another process took it over", job->id);
    return code;
}

static enum fd_code left_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct sending_job *job = arg;
    return db_value_int(db, &q_left, DB_ARGS(db_text("terminal", job->terminal)), &job->copy, err);
}

static enum fd_code send_job(const struct printer *printer, struct sending_job *job, struct fd_error *err)
{
    struct buf bytes = {0};
    struct document *document = document_from_json(job->json);
    job->status = "WAITING";
    job->trouble[0] = '\0';
    if (!document) {
        job->status = "DROPPED";
        cut_copy(job->trouble, sizeof job->trouble, "not a document");
        return FD_OK;
    }
    print_mark(document, job->copy);
    document_escpos(document, printer, &bytes);
    FD_POINT("print_claimed");
    enum fd_code code = printer_send(printer, bytes.text, bytes.bytes, SEND_LIMIT_MS, err);
    FD_POINT("print_sent");
    if (code != FD_OK)
        cut_copy(job->trouble, sizeof job->trouble, err->message);
    buf_release(&bytes);
    document_free(&document);
    return code;
}

/* One job from claim to end. *sent false: there was none, or it failed. */
static enum fd_code flush_one(struct desk *desk, const struct printer *printer, bool *sent, struct fd_error *err)
{
    struct sending_job job = {.terminal = desk->terminal};
    struct fd_error trouble = {0};
    *sent = false;
    enum fd_code code = db_txn(desk->db, "print.claim", 0, claim_txn, &job, err);
    if (code != FD_OK || !job.json) {
        free(job.json);
        return code;
    }
    enum fd_code printed = send_job(printer, &job, &trouble);
    code = db_txn(desk->db, "print.ended", 0, ended_txn, &job, err);
    free(job.json);
    if (code != FD_OK)
        return code;
    if (printed != FD_OK && err)
        *err = trouble;
    *sent = printed == FD_OK;
    return printed;
}

enum fd_code print_flush(struct desk *desk, size_t most, int64_t *done, int64_t *left, struct fd_error *err)
{
    struct printer printer;
    struct sending_job count = {.terminal = desk->terminal};
    struct fd_error local = {0};
    bool sent = true;
    *done = *left = 0;
    enum fd_code code = printer_from_config(desk->config, &printer, &local);
    for (size_t i = 0; i < most && code == FD_OK && printer.target[0] && sent; i++) {
        code = flush_one(desk, &printer, &sent, &local);
        *done += sent;
    }
    if (db_txn(desk->db, "print.left", 0, left_txn, &count, NULL) == FD_OK)
        *left = count.copy;
    if (code != FD_OK && err)
        *err = local;
    return code;
}

static enum fd_code retry_txn(struct db *db, void *arg, struct fd_error *err)
{
    return db_exec(db, &q_retry, DB_ARGS(db_text("terminal", arg)), NULL, err);
}

enum fd_code print_retry(struct desk *desk, struct fd_error *err)
{
    return db_txn(desk->db, "print.retry", 0, retry_txn, desk->terminal, err);
}

DB_QUERY(q_waiting, "print.waiting", DB_ROWS,
         "SELECT id, copy, tries, terminal, kind, subject, status, trouble, operator, created_at FROM print_job "
         "WHERE terminal = :terminal AND status IN ('WAITING', 'SENDING') ORDER BY id LIMIT :most");
DB_QUERY(q_all, "print.all", DB_ROWS,
         "SELECT id, copy, tries, terminal, kind, subject, status, trouble, operator, created_at FROM print_job "
         "ORDER BY id DESC LIMIT :most");

struct listing {
    const char *terminal; /* NULL: all */
    struct arena *arena;
    struct print_row *rows;
    size_t count;
};

static void read_row(const struct db_rows *rows, struct arena *arena, struct print_row *row)
{
    const char **const texts[] = {&row->terminal, &row->kind, &row->subject, &row->status, &row->trouble,
                                  &row->operator};
    row->id = db_get_int(rows, 0);
    row->copy = db_get_int(rows, 1);
    row->tries = db_get_int(rows, 2);
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = text_clean_arena(arena, db_get_text(rows, 3 + i));
    row->created_at = db_get_wall(rows, 9);
}

static enum fd_code list_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct listing *listing = arg;
    struct db_rows *rows;
    enum fd_code code =
        listing->terminal
            ? db_select(db, &q_waiting, DB_ARGS(db_text("terminal", listing->terminal), db_int("most", LIST_MOST)),
                        &rows, err)
            : db_select(db, &q_all, DB_ARGS(db_int("most", LIST_MOST)), &rows, err);
    if (code != FD_OK)
        return code;
    listing->rows = arena_array(listing->arena, db_row_count(rows) + 1, sizeof *listing->rows);
    listing->count = 0;
    while (db_next(rows))
        read_row(rows, listing->arena, &listing->rows[listing->count++]);
    db_rows_close(&rows);
    return FD_OK;
}

enum fd_code print_list(struct desk *desk, bool all, struct arena *arena, struct print_row **rows, size_t *count,
                        struct fd_error *err)
{
    struct listing listing = {.terminal = all ? NULL : desk->terminal, .arena = arena};
    enum fd_code code = desk_read(desk, "print.list", list_txn, &listing, err);
    *rows = listing.rows;
    *count = listing.count;
    return code;
}

DB_QUERY(q_drop, "print.drop", DB_NONE,
         "UPDATE print_job SET copy = copy + (status = 'SENDING'), status = 'DROPPED', finished_at = NOW(), "
         "next_at = NULL WHERE id = :id "
         "AND (status = 'WAITING' OR (status = 'SENDING' AND next_at <= NOW()))");
DB_QUERY(q_one, "print.one", DB_ROW, "SELECT status, kind, subject FROM print_job WHERE id = :id");

static enum fd_code drop_apply(struct op *op, void *arg, struct fd_error *err)
{
    int64_t id = *(int64_t *)arg, changed = 0;
    struct db_rows *rows;
    enum fd_code code = db_select(op_db(op), &q_one, DB_ARGS(db_int("id", id)), &rows, err);
    if (code != FD_OK)
        return code;
    if (!db_next(rows)) {
        db_rows_close(&rows);
        return fd_fail(err, FD_NOT_FOUND, _("There is no print job %lld."), (long long)id);
    }
    const char *status = arena_str(op_arena(op), db_get_text(rows, 0));
    const char *subject = arena_str(op_arena(op), db_get_text(rows, 2));
    db_rows_close(&rows);
    code = db_exec(op_db(op), &q_drop, DB_ARGS(db_int("id", id)), &changed, err);
    if (code == FD_OK && changed == 0)
        code = fd_fail(err, FD_REFUSED, _("Print job %lld is %s."), (long long)id, print_status_label(status));
    if (code == FD_OK)
        op_log(op, &(struct log_entry){.entity = "print",
                                       .entity_no = subject,
                                       .event = "drop",
                                       .state_before = status,
                                       .state_after = "DROPPED"});
    return code;
}

enum fd_code print_drop(struct desk *desk, const char *key, int64_t id, const char *reason, struct fd_error *err)
{
    char content[32];
    fit_printf(content, "%" PRId64, id);
    const struct op_spec spec = {
        .action = "printer.drop", .key = key, .content = content, .reason = reason, .apply = drop_apply};
    return op_run(desk, &spec, &id, NULL, NULL, err);
}
