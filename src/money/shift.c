/* Shifts: one drawer per terminal, opened, filled and emptied. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "money/shift.h"
#include "outside/tree.h"

/* Shared: sales at one terminal do not wait for each other, and a close waits for all of them. */
DB_QUERY(q_of, "shift.of", DB_ROW, "SELECT id FROM shift WHERE open_terminal = :terminal LOCK IN SHARE MODE");
/* Where another session opens it in the same moment this waits and changes nothing. */
DB_QUERY(q_open, "shift.open", DB_NONE,
         "INSERT INTO shift (terminal, status, opened_by, opened_at, opening) "
         "VALUES (:terminal, 'OPEN', :operator, NOW(), :opening) ON DUPLICATE KEY UPDATE version = version");

static enum fd_code find_open(struct op *op, int64_t *id, struct fd_error *err)
{
    struct db_rows *rows;
    *id = 0;
    enum fd_code code = db_select(op_db(op), &q_of, DB_ARGS(db_text("terminal", op_desk(op)->terminal)), &rows, err);
    if (code != FD_OK)
        return code;
    if (db_next(rows))
        *id = db_get_int(rows, 0);
    db_rows_close(&rows);
    return FD_OK;
}

/* *made: whether this op opened it. */
static enum fd_code insert_shift(struct op *op, int64_t opening_fen, int64_t *id, bool *made, struct fd_error *err)
{
    const struct desk *desk = op_desk(op);
    int64_t changed = 0;
    char opening[FEN_TEXT];
    enum fd_code code = db_exec(op_db(op), &q_open,
                                DB_ARGS(db_text("terminal", desk->terminal), db_text("operator", desk->operator),
                                        db_fen("opening", opening_fen)),
                                &changed, err);
    *made = code == FD_OK && changed == 1;
    if (!*made)
        return code;
    *id = db_insert_id(op_db(op));
    op_log(op, &(struct log_entry){
                   .entity = "shift",
                   .entity_no = arena_printf(op_arena(op), "%" PRId64, *id),
                   .event = "open",
                   .state_after = "OPEN",
                   .after = arena_printf(op_arena(op), "{\"opening\":\"%s\"}", fen_decimal(opening_fen, opening))});
    return FD_OK;
}

enum fd_code shift_of_in(struct op *op, int64_t *shift_id, struct fd_error *err)
{
    bool made = false;
    enum fd_code code = find_open(op, shift_id, err);
    if (code == FD_OK && *shift_id == 0)
        code = insert_shift(op, 0, shift_id, &made, err);
    if (code == FD_OK && *shift_id == 0)
        code = find_open(op, shift_id, err);
    /* Opened and closed by others between the two statements. */
    return code == FD_OK && *shift_id == 0 ? fd_fail(err, FD_RETRY, NULL) : code;
}
