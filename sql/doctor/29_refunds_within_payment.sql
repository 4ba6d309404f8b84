-- @class H
-- @title Refunds are above 0 and never more than the payment, which counts them, nor than its part for the order
SELECT CONCAT('refund ', r.refund_no), CONCAT('amount ', r.amount)
FROM refund_record r
WHERE r.amount <= 0
UNION ALL
SELECT CONCAT('payment ', p.id), CONCAT('amount ', p.amount, ', refunds in force ', COALESCE(r.amount, 0), ', refunded_amount ', p.refunded_amount)
FROM payment_record p
LEFT JOIN (SELECT payment_id, SUM(amount) AS amount
           FROM refund_record
           WHERE status <> 'FAILED' AND amount > 0 GROUP BY payment_id) r ON r.payment_id = p.id
WHERE (COALESCE(r.amount, 0) > p.amount AND COALESCE(r.amount, 0) > 0) OR COALESCE(r.amount, 0) <> p.refunded_amount
UNION ALL
SELECT CONCAT('order ', a.order_no), CONCAT('payment ', a.payment_id, ' pays ', a.amount, ' of it, refunds ', SUM(r.amount))
FROM pay_allocation a
JOIN refund_record r ON r.payment_id = a.payment_id AND r.order_no = a.order_no AND r.status <> 'FAILED' AND r.amount > 0
GROUP BY a.id, a.order_no, a.payment_id, a.amount
HAVING SUM(r.amount) > a.amount
