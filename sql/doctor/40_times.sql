-- @class H
-- @title No time lies in the future, and things end after they begin
SELECT CONCAT('order ', o.order_no),
       CONCAT('made ', o.create_time, ', paid ', COALESCE(o.paid_time, '-'), ', in ', COALESCE(o.check_in_time, '-'),
              ', cancelled ', COALESCE(o.cancel_time, '-'))
FROM reserve_order o
WHERE o.create_time > NOW() + INTERVAL 2 SECOND OR o.paid_time > NOW() + INTERVAL 2 SECOND
   OR o.check_in_time > NOW() + INTERVAL 2 SECOND OR o.cancel_time > NOW() + INTERVAL 2 SECOND
   OR o.paid_time < o.create_time OR o.check_in_time < o.paid_time OR o.cancel_time < o.create_time
UNION ALL
SELECT CONCAT('payment ', p.id), CONCAT('made ', COALESCE(p.created_at, '-'), ', confirmed ', COALESCE(p.confirmed_at, '-'))
FROM payment_record p
WHERE p.created_at > NOW() + INTERVAL 2 SECOND OR p.callback_time > NOW() + INTERVAL 2 SECOND
   OR p.confirmed_at > NOW() + INTERVAL 2 SECOND OR p.confirmed_at < p.created_at
UNION ALL
SELECT CONCAT('refund ', r.refund_no), CONCAT('made ', r.created_at, ', final ', COALESCE(r.finished_at, '-'))
FROM refund_record r
WHERE r.created_at > NOW() + INTERVAL 2 SECOND OR r.finished_at > NOW() + INTERVAL 2 SECOND OR r.finished_at < r.created_at
UNION ALL
SELECT CONCAT('log row ', l.id), CONCAT('written ', l.logged_at)
FROM operation_log l
WHERE l.logged_at > NOW() + INTERVAL 2 SECOND
UNION ALL
SELECT CONCAT('change ', c.id), CONCAT('written ', c.changed_at)
FROM order_change c
WHERE c.changed_at > NOW() + INTERVAL 2 SECOND
UNION ALL
SELECT CONCAT('due ', d.id), CONCAT('made ', d.created_at, ', settled ', COALESCE(d.settled_at, '-'))
FROM order_due d
WHERE d.created_at > NOW() + INTERVAL 2 SECOND OR d.settled_at > NOW() + INTERVAL 2 SECOND OR d.settled_at < d.created_at
