-- @class E
-- @grace 10
-- @title Money that was received belongs to an order that holds, or goes back
-- A part-paid order that waits is on the list for a person, and so are money that came too late and failed refunds.
WITH paid AS (
    SELECT a.order_no, a.amount, p.callback_time
    FROM pay_allocation a JOIN payment_record p ON p.id = a.payment_id
    WHERE p.status = 'SUCCESS'
    UNION ALL
    SELECT p.order_no, p.amount, p.callback_time
    FROM payment_record p
    WHERE p.status = 'SUCCESS' AND NOT EXISTS (SELECT 1 FROM pay_allocation a WHERE a.payment_id = p.id)
), money AS (
    SELECT order_no, SUM(amount) AS amount, MAX(callback_time) AS at FROM paid GROUP BY order_no
), back AS (
    SELECT order_no, SUM(amount) AS amount
    FROM refund_record WHERE status <> 'FAILED' OR owed = 1 GROUP BY order_no
), surplus AS (
    SELECT order_no, SUM(amount) AS amount FROM money_case
    WHERE kind IN ('LATE', 'SURPLUS') AND NOT (status = 'CLOSED' AND outcome = 'moved') GROUP BY order_no
)
SELECT CONCAT('order ', o.order_no), CONCAT(o.status, ', received ', m.amount, ', given back ', COALESCE(b.amount, 0))
FROM reserve_order o
JOIN money m ON m.order_no = o.order_no
LEFT JOIN back b ON b.order_no = o.order_no
LEFT JOIN surplus s ON s.order_no = o.order_no
WHERE (o.status = 'CANCELLED' OR (o.status = 'PENDING_PAY' AND o.paid_amount = 0))
  AND m.amount > COALESCE(b.amount, 0) + COALESCE(s.amount, 0)
  AND (m.at IS NULL OR m.at < NOW() - INTERVAL :grace MINUTE)
UNION ALL
SELECT CONCAT('order ', o.order_no), CONCAT('paid ', o.paid_amount, ' of ', o.total_amount, ', over since ', o.expire_time, ', and no case')
FROM reserve_order o
WHERE o.status = 'PENDING_PAY' AND o.paid_amount > 0 AND o.expire_time < NOW() - INTERVAL :grace MINUTE
  AND NOT EXISTS (SELECT 1 FROM money_case c WHERE c.order_no = o.order_no AND c.kind = 'PART_PAID'
                  AND (c.status <> 'CLOSED' OR c.closed_at > NOW() - INTERVAL 1 DAY - INTERVAL :grace MINUTE))
UNION ALL
SELECT CONCAT('payment ', p.id), CONCAT(p.channel, ' to be confirmed, and no case')
FROM payment_record p
WHERE p.channel IN ('TRANSFER', 'STATIC', 'VOUCHER') AND p.status = 'SUCCESS' AND p.confirmed_at IS NULL
  AND p.operator IS NOT NULL AND p.payment_no IS NOT NULL AND p.created_at < NOW() - INTERVAL :grace MINUTE
  AND NOT EXISTS (SELECT 1 FROM money_case c WHERE c.subject = p.payment_no AND c.kind = 'CONFIRM' AND c.status <> 'CLOSED')
