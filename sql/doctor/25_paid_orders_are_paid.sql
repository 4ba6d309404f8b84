-- @class H
-- @title What stands as paid has been paid, and counter money names who took it, where, and in which shift
-- Shifts exist since migration 3: what is older has none.
WITH paid AS (
    SELECT a.order_no, a.amount
    FROM pay_allocation a JOIN payment_record p ON p.id = a.payment_id
    WHERE p.status = 'SUCCESS'
    UNION ALL
    SELECT p.order_no, p.amount
    FROM payment_record p
    WHERE p.status = 'SUCCESS' AND NOT EXISTS (SELECT 1 FROM pay_allocation a WHERE a.payment_id = p.id)
), money AS (
    SELECT order_no, SUM(amount) AS amount FROM paid GROUP BY order_no
), back AS (
    SELECT order_no, SUM(CASE WHEN kind = 'AMOUNT' THEN 0 ELSE amount END) AS amount
    FROM refund_record WHERE status <> 'FAILED' OR owed = 1 GROUP BY order_no
), due AS (
    SELECT order_no, SUM(amount) AS amount FROM order_due WHERE settled_at IS NULL GROUP BY order_no
), surplus AS (
    SELECT order_no, SUM(amount) AS amount FROM money_case
    WHERE kind IN ('LATE', 'SURPLUS') AND NOT (status = 'CLOSED' AND outcome = 'moved') GROUP BY order_no
)
SELECT CONCAT('order ', o.order_no),
       CONCAT(o.status, ', amount ', o.total_amount, ', received and kept ', COALESCE(m.amount, 0) - COALESCE(b.amount, 0),
              ', due ', COALESCE(d.amount, 0))
FROM reserve_order o
LEFT JOIN money m ON m.order_no = o.order_no
LEFT JOIN back b ON b.order_no = o.order_no
LEFT JOIN due d ON d.order_no = o.order_no
LEFT JOIN surplus s ON s.order_no = o.order_no
WHERE o.status IN ('PAID', 'COMPLETED', 'NO_SHOW')
  AND COALESCE(m.amount, 0) - COALESCE(b.amount, 0) - COALESCE(s.amount, 0) < o.total_amount - COALESCE(d.amount, 0)
UNION ALL
SELECT CONCAT('payment ', p.id), CONCAT(p.channel, ' without ', CASE WHEN p.operator IS NULL THEN 'operator' ELSE 'terminal' END)
FROM payment_record p
WHERE p.channel IN ('CASH', 'CARD', 'TRANSFER', 'STATIC', 'VOUCHER') AND (p.operator IS NULL OR p.terminal IS NULL)
UNION ALL
SELECT CONCAT('payment ', p.id), CONCAT(p.channel, ' without a shift')
FROM payment_record p
WHERE p.channel IN ('CASH', 'CARD', 'TRANSFER', 'STATIC', 'VOUCHER') AND p.operator IS NOT NULL AND p.terminal IS NOT NULL
  AND p.shift IS NULL AND p.created_at >= (SELECT v.applied_at FROM schema_version v WHERE v.number = 3)
UNION ALL
SELECT CONCAT('refund ', r.refund_no), 'cash without a shift'
FROM refund_record r
WHERE r.channel = 'CASH' AND r.status = 'SUCCESS' AND r.shift IS NULL
  AND r.created_at >= (SELECT v.applied_at FROM schema_version v WHERE v.number = 3)
