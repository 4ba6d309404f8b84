#include "clerk_kit.h"
#include <string.h>

void at(const char *name)
{
    stage_reset();
    stage_open("en", 80, 24, name);
}

const char *state_of(const char *order_no)
{
    return fixture_text(stage.db, "SELECT status FROM reserve_order WHERE order_no = '%s'", order_no);
}

int64_t places_left(int slot)
{
    return fixture_int(stage.db, "SELECT remain_count FROM venue_schedule WHERE id = %d", slot);
}

int64_t slot_of(const char *order_no)
{
    return fixture_int(stage.db, "SELECT schedule_id FROM reserve_order WHERE order_no = '%s'", order_no);
}

int64_t log_rows(const char *event)
{
    return fixture_int(stage.db, "SELECT COUNT(*) FROM operation_log WHERE event = '%s'", event);
}

void book(const char *number, int slot, int user, const char *paid_by)
{
    fixture_sql(stage.db,
                "INSERT INTO reserve_order (order_no, user_id, venue_id, schedule_id, schedule_date, start_time, "
                "end_time, quantity, total_amount, "
                "unit_price, status, expire_time, paid_amount, operator, terminal, create_time) SELECT '%s', %d, "
                "venue_id, id, schedule_date, "
                "start_time, end_time, 1, price, price, '%s', '2026-12-01 12:30:00', %s, 'clerk', 'desk1', '2026-12-01 "
                "09:00:00' "
                "FROM venue_schedule WHERE id = %d",
                number, user, paid_by ? "PAID" : "PENDING_PAY",
                paid_by && strcmp(paid_by, "WECHAT") != 0 ? "price" : "0", slot);
    fixture_sql(stage.db, "UPDATE venue_schedule SET remain_count = remain_count - 1 WHERE id = %d", slot);
    if (!paid_by)
        return;
    fixture_sql(
        stage.db,
        "INSERT INTO payment_record (order_no, payment_no, channel, amount, status, callback_time, operator, terminal) "
        "SELECT 'PY%d', 'RC%d', '%s', total_amount, 'SUCCESS', '2026-12-01 09:00:00', 'clerk', 'desk1' FROM "
        "reserve_order WHERE order_no = '%s'",
        slot, slot, paid_by, number);
    fixture_sql(stage.db,
                "INSERT INTO pay_allocation (payment_id, order_no, amount) SELECT id, '%s', amount FROM payment_record "
                "WHERE order_no = 'PY%d'",
                number, slot);
}
