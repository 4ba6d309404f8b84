-- @class H
-- @title A holding order names a slot that exists, of the venue, day and time that the order states
SELECT CONCAT('order ', o.order_no),
       CASE WHEN s.id IS NULL THEN CONCAT('slot ', o.schedule_id, ' does not exist')
            ELSE CONCAT('slot ', s.id, ' is venue ', s.venue_id, ' ', s.schedule_date, ' ', s.start_time, '-', s.end_time,
                        ', the order says venue ', o.venue_id, ' ', o.schedule_date, ' ', o.start_time, '-', o.end_time) END
FROM reserve_order o
LEFT JOIN venue_schedule s ON s.id = o.schedule_id
WHERE o.status IN ('PENDING_PAY', 'PAID', 'COMPLETED', 'NO_SHOW', 'REFUNDING')
  AND (s.id IS NULL OR s.venue_id <> o.venue_id OR s.schedule_date <> o.schedule_date
       OR s.start_time <> o.start_time OR s.end_time <> o.end_time)
ORDER BY o.id
