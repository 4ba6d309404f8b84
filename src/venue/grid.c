/* The day grid and who comes next. Source: domain section 2, performance facts B4. */
#include "base/text.h"
#include "venue/venue_internal.h"

#include <stdlib.h>
#include <string.h>

/* One row for each venue in use, with the clock and what the desks took today (read once, not per row). */
DB_QUERY(q_venues, "grid.venues", DB_ROWS,
         "SELECT v.id, v.name, v.sport_type, v.stock_form, v.address, v.max_people, v.sort_order, NOW(), t.taken "
         "FROM (SELECT COALESCE((SELECT SUM(p.amount) FROM payment_record p WHERE p.created_at >= CURDATE() "
         "AND p.created_at < CURDATE() + INTERVAL 1 DAY AND p.operator IS NOT NULL AND p.status = 'SUCCESS'), 0) "
         "- COALESCE((SELECT SUM(r.amount) FROM refund_record r WHERE r.created_at >= CURDATE() "
         "AND r.created_at < CURDATE() + INTERVAL 1 DAY AND r.status = 'SUCCESS'), 0) AS taken) t "
         "LEFT JOIN venue v ON v.status = 1 ORDER BY v.sort_order, v.id");
/* Venue by venue, so that another sport's rows are not met; slots from the covering key alone. */
DB_QUERY(q_slots, "grid.slots", DB_ROWS,
         "SELECT STRAIGHT_JOIN s.id, s.venue_id, s.start_time, s.end_time, s.total_count, s.remain_count, s.price, "
         "s.status, s.close_reason FROM venue v JOIN venue_schedule s FORCE INDEX (idx_day_grid) "
         "ON s.schedule_date = :day AND s.venue_id = v.id WHERE v.sport_type = :sport AND v.status = 1");
DB_QUERY(
    q_orders, "grid.orders", DB_ROWS,
    "SELECT STRAIGHT_JOIN o.id, o.schedule_id, o.order_no, o.status, o.quantity, o.expire_time, u.nickname "
    "FROM venue v JOIN reserve_order o FORCE INDEX (idx_venue_day) ON o.venue_id = v.id AND o.schedule_date = :day "
    "LEFT JOIN t_user u ON u.id = o.user_id "
    "WHERE v.sport_type = :sport AND v.status = 1 AND o.status IN " HOLDING_STATES);
DB_QUERY(q_arrivals, "grid.arrivals", DB_ROWS,
         "SELECT " ORDER_COLUMNS ", " ORDER_DUE " FROM reserve_order o FORCE INDEX (idx_status_day)" ORDER_JOINS
         "WHERE o.status IN ('PENDING_PAY', 'PAID') AND o.schedule_date BETWEEN CURDATE() AND "
         "DATE(NOW() + INTERVAL :minutes MINUTE) "
         "AND TIMESTAMP(o.schedule_date, o.start_time) <= NOW() + INTERVAL :minutes MINUTE "
         "AND TIMESTAMP(o.schedule_date, o.end_time) > NOW() "
         "ORDER BY o.schedule_date, o.start_time, v.sort_order, v.id, o.id LIMIT 500");

/* A slot as read, before it has its place in the grid. */
struct grid_slot {
    struct slot slot;
    size_t column;
};

struct grid_load {
    day_t day;
    const char *sport;
    struct arena *arena;
    struct day_grid *grid;
    struct venue *all; /* every venue in use */
    size_t all_count;
    struct grid_slot *slots;
    size_t slot_count;
};

static enum fd_code load_venues(struct db *db, struct grid_load *load, struct fd_error *err)
{
    struct db_rows *rows;
    struct arena *arena = load->arena;
    enum fd_code code = db_select(db, &q_venues, DB_NO_ARGS, &rows, err);
    if (code)
        return code;
    load->all = arena_array(arena, db_row_count(rows) + 1, sizeof *load->all);
    load->all_count = 0;
    while (db_next(rows)) {
        load->grid->now = db_get_wall(rows, 7);
        load->grid->taken_fen = db_get_fen(rows, 8);
        if (db_is_null(rows, 0))
            continue;
        load->all[load->all_count++] = (struct venue){
            .id = db_get_int(rows, 0),
            .name = row_text(rows, 1, arena),
            .sport = row_text(rows, 2, arena),
            .form = row_text(rows, 3, arena),
            .address = row_text(rows, 4, arena),
            .max_people = db_get_int(rows, 5),
            .sort_order = db_get_int(rows, 6),
            .in_use = true,
        };
    }
    db_rows_close(&rows);
    return FD_OK;
}

/* Sports in the order of their first venue, and the columns: venues of the sport asked for. */
static void choose_venues(struct grid_load *load)
{
    struct day_grid *grid = load->grid;
    const char **sports = arena_array(load->arena, load->all_count + 1, sizeof *sports);
    size_t count = 0;
    for (size_t i = 0; i < load->all_count; i++) {
        size_t at = 0;
        while (at < count && strcmp(sports[at], load->all[i].sport) != 0)
            at++;
        if (at == count)
            sports[count++] = load->all[i].sport;
    }
    grid->sports = sports;
    grid->sport_count = count;
    grid->sport = load->sport && load->sport[0] ? arena_str(load->arena, load->sport) : count > 0 ? sports[0] : "";
    grid->venues = arena_array(load->arena, load->all_count + 1, sizeof *grid->venues);
    for (size_t i = 0; i < load->all_count; i++)
        if (text_same(load->all[i].sport, grid->sport))
            grid->venues[grid->venue_count++] = load->all[i];
}

static size_t column_of(const struct day_grid *grid, int64_t venue_id, size_t guess)
{
    if (guess < grid->venue_count && grid->venues[guess].id == venue_id)
        return guess;
    size_t column = 0;
    while (column < grid->venue_count && grid->venues[column].id != venue_id)
        column++;
    return column;
}

static void read_slot(const struct db_rows *rows, struct grid_load *load, const struct venue *venue, struct slot *slot)
{
    wall_t now = load->grid->now;
    *slot = (struct slot){
        .id = db_get_int(rows, 0),
        .venue_id = venue->id,
        .venue = venue->name,
        .sport = venue->sport,
        .form = venue->form,
        .day = load->day,
        .start_minute = db_get_minute(rows, 2),
        .end_minute = db_get_minute(rows, 3),
        .total_count = db_get_int(rows, 4),
        .remain_count = db_get_int(rows, 5),
        .price_fen = db_get_fen(rows, 6),
        .open = db_get_int(rows, 7) == 1,
        .close_reason = "",
    };
    if (!slot->open)
        slot->close_reason = row_text(rows, 8, load->arena);
    slot->over = wall_at(slot->day, slot->end_minute) <= now;
    slot->running = !slot->over && wall_at(slot->day, slot->start_minute) <= now;
}

static enum fd_code load_slots(struct db *db, struct grid_load *load, struct fd_error *err)
{
    struct db_rows *rows;
    struct day_grid *grid = load->grid;
    enum fd_code code =
        db_select(db, &q_slots, DB_ARGS(db_day("day", load->day), db_text("sport", grid->sport)), &rows, err);
    if (code)
        return code;
    load->slots = arena_array(load->arena, db_row_count(rows) + 1, sizeof *load->slots);
    load->slot_count = 0;
    size_t column = 0;
    while (db_next(rows)) {
        column = column_of(grid, db_get_int(rows, 1), column);
        if (column == grid->venue_count)
            continue;
        struct grid_slot *to = &load->slots[load->slot_count++];
        to->column = column;
        read_slot(rows, load, &grid->venues[column], &to->slot);
        grid->places += to->slot.total_count;
        grid->sold += to->slot.total_count - to->slot.remain_count;
    }
    db_rows_close(&rows);
    return FD_OK;
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void lay_rows(struct grid_load *load)
{
    struct day_grid *grid = load->grid;
    int *starts = arena_array(load->arena, load->slot_count + 1, sizeof *starts);
    for (size_t i = 0; i < load->slot_count; i++)
        starts[i] = load->slots[i].slot.start_minute;
    qsort(starts, load->slot_count, sizeof *starts, compare_ints);
    size_t count = 0;
    for (size_t i = 0; i < load->slot_count; i++)
        if (count == 0 || starts[count - 1] != starts[i])
            starts[count++] = starts[i];
    grid->starts = starts;
    grid->row_count = count;
    grid->cells = arena_array(load->arena, count * grid->venue_count + 1, sizeof *grid->cells);
}

static size_t row_of(const struct day_grid *grid, int start)
{
    size_t low = 0, high = grid->row_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (grid->starts[middle] < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int compare_cells(const void *a, const void *b)
{
    const struct grid_cell *x = *(struct grid_cell *const *)a, *y = *(struct grid_cell *const *)b;
    return (x->slot.id > y->slot.id) - (x->slot.id < y->slot.id);
}

/* Cells in place; *by_id the ones with a slot, sorted by its id. Returns how many. */
static size_t fill_cells(struct grid_load *load, struct grid_cell ***by_id)
{
    struct day_grid *grid = load->grid;
    struct grid_cell **list = arena_array(load->arena, load->slot_count + 1, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < grid->row_count * grid->venue_count; i++)
        grid->cells[i] = (struct grid_cell){.order_no = "", .customer = "", .state = "", .expire_time = WALL_NONE};
    for (size_t i = 0; i < load->slot_count; i++) {
        const struct grid_slot *from = &load->slots[i];
        struct grid_cell *cell = &grid->cells[row_of(grid, from->slot.start_minute) * grid->venue_count + from->column];
        /* Two of one venue that begin together, made online: the first stays. */
        if (cell->slot.id != 0)
            continue;
        cell->slot = from->slot;
        list[count++] = cell;
    }
    qsort(list, count, sizeof *list, compare_cells);
    *by_id = list;
    return count;
}

static void cell_order(const struct db_rows *rows, struct arena *arena, struct grid_cell *cell)
{
    bool unpaid = strcmp(db_get_text(rows, 3), "PENDING_PAY") == 0;
    if (unpaid) {
        wall_t until = db_get_wall(rows, 5);
        cell->held += db_get_int(rows, 4);
        if (until != WALL_NONE && (cell->expire_time == WALL_NONE || until < cell->expire_time))
            cell->expire_time = until;
    }
    if (cell->slot.total_count != 1 || cell->order_id != 0)
        return;
    cell->order_id = db_get_int(rows, 0);
    cell->order_no = row_text(rows, 2, arena);
    cell->state = row_text(rows, 3, arena);
    cell->customer = row_text(rows, 6, arena);
}

static struct grid_cell *cell_of(struct grid_cell *const *by_id, size_t count, int64_t slot_id)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (by_id[middle]->slot.id < slot_id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && by_id[low]->slot.id == slot_id ? by_id[low] : NULL;
}

static enum fd_code load_orders(struct db *db, struct grid_load *load, struct fd_error *err)
{
    struct db_rows *rows;
    struct grid_cell **by_id;
    struct day_grid *grid = load->grid;
    enum fd_code code =
        db_select(db, &q_orders, DB_ARGS(db_day("day", load->day), db_text("sport", grid->sport)), &rows, err);
    if (code)
        return code;
    size_t count = fill_cells(load, &by_id);
    while (db_next(rows)) {
        struct grid_cell *cell = cell_of(by_id, count, db_get_int(rows, 1));
        if (!cell)
            continue;
        grid->unpaid_orders += strcmp(db_get_text(rows, 3), "PENDING_PAY") == 0;
        cell_order(rows, load->arena, cell);
    }
    db_rows_close(&rows);
    return FD_OK;
}

static enum fd_code grid_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct grid_load *load = arg;
    load->grid = arena_alloc(load->arena, sizeof *load->grid);
    enum fd_code code = load_venues(db, load, err);
    if (code)
        return code;
    if (load->day == DAY_NONE)
        load->day = wall_day(load->grid->now);
    load->grid->day = load->day;
    choose_venues(load);
    code = load_slots(db, load, err);
    if (code)
        return code;
    lay_rows(load);
    return load_orders(db, load, err);
}

enum fd_code day_grid_load(struct desk *desk, day_t day, const char *sport, struct arena *arena, struct day_grid **grid,
                           struct fd_error *err)
{
    struct grid_load load = {.day = day, .sport = sport, .arena = arena};
    enum fd_code code = desk_read(desk, "day.grid", grid_txn, &load, err);
    if (code == FD_OK)
        *grid = load.grid;
    return code;
}

struct arrivals {
    int64_t minutes;
    struct arena *arena;
    struct venue_order *rows;
    size_t count;
};

static enum fd_code arrivals_txn(struct db *db, void *arg, struct fd_error *err)
{
    struct arrivals *arrivals = arg;
    struct db_rows *rows;
    enum fd_code code = db_select(db, &q_arrivals, DB_ARGS(db_int("minutes", arrivals->minutes)), &rows, err);
    if (code)
        return code;
    arrivals->rows = venue_order_rows(rows, arrivals->arena, true, &arrivals->count);
    db_rows_close(&rows);
    return FD_OK;
}

enum fd_code venue_arrivals(struct desk *desk, int64_t minutes, struct arena *arena, struct venue_order **rows,
                            size_t *count, struct fd_error *err)
{
    struct arrivals arrivals = {.minutes = minutes, .arena = arena};
    enum fd_code code = desk_read(desk, "order.arrivals", arrivals_txn, &arrivals, err);
    if (code == FD_OK) {
        *rows = arrivals.rows;
        *count = arrivals.count;
    }
    return code;
}
