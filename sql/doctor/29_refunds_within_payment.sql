-- @class H
-- @title Refunds are above 0 and never more than the payment, which counts them
SELECT CONCAT('refund ', r.refund_no), CONCAT('amount ', r.amount)
FROM refund_record r
WHERE r.amount <= 0
UNION ALL
SELECT CONCAT('payment ', p.id), CONCAT('amount ', p.amount, ', refunds in force ', COALESCE(r.amount, 0), ', refunded_amount ', p.refunded_amount)
FROM payment_record p
LEFT JOIN (SELECT payment_id, SUM(amount) AS amount
           FROM refund_record
           WHERE status IN ('CREATED', 'PROCESSING', 'SUCCESS') AND amount > 0 GROUP BY payment_id) r ON r.payment_id = p.id
WHERE COALESCE(r.amount, 0) > p.amount OR COALESCE(r.amount, 0) <> p.refunded_amount
