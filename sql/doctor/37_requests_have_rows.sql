-- @class H
-- @title Each request key has its rows, and what the counter made has a key
-- Keys are kept for a while; what is older (less a day for clocks and time zones) is not looked at.
SELECT CONCAT('bill ', b.bill_no), CONCAT('its request ', b.request_key, ' is not recorded')
FROM bill b
WHERE b.created_at > NOW() - INTERVAL :days DAY + INTERVAL 1 DAY
  AND NOT EXISTS (SELECT 1 FROM op_request q WHERE q.request_key = CONVERT(b.request_key USING ascii) COLLATE ascii_bin)
UNION ALL
SELECT CONCAT('request ', q.request_key), 'a booking without its bill'
FROM op_request q
WHERE q.action = 'order.book' AND CONVERT(q.request_key USING utf8mb4) COLLATE utf8mb4_unicode_520_ci NOT IN (SELECT b.request_key FROM bill b)
UNION ALL
SELECT CONCAT('payment ', p.id), 'taken at the counter without a request key'
FROM payment_record p
WHERE p.operator IS NOT NULL AND p.request_key IS NULL
UNION ALL
SELECT CONCAT('order ', o.order_no), 'made at the counter without a request key'
FROM reserve_order o
WHERE o.operator IS NOT NULL AND o.idempotency_key IS NULL
