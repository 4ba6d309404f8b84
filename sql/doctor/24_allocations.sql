-- @class H
-- @title The allocations of a payment make its amount, and a channel's number occurs once
SELECT CONCAT('payment ', p.id), CONCAT('amount ', p.amount, ', allocated ', COALESCE(SUM(a.amount), 0))
FROM payment_record p
LEFT JOIN pay_allocation a ON a.payment_id = p.id
WHERE p.status = 'SUCCESS'
GROUP BY p.id, p.amount, p.operator
HAVING (COUNT(a.id) > 0 OR p.operator IS NOT NULL) AND COALESCE(SUM(a.amount), 0) <> p.amount
UNION ALL
SELECT CONCAT('number ', p.payment_no), CONCAT(COUNT(*), ' payments')
FROM payment_record p
WHERE p.payment_no IS NOT NULL
GROUP BY p.payment_no
HAVING COUNT(*) > 1
