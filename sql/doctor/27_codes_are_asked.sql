-- @class E
-- @grace 40
-- @title No payment code stays open without its channel being asked
-- The worker asks at least every half hour.
SELECT CONCAT('payment ', p.id),
       CONCAT(p.channel, ' ', p.order_no, ', made ', p.created_at, ', last asked ', COALESCE(p.asked_at, '-'))
FROM payment_record p
WHERE p.status = 'CREATED' AND p.operator IS NOT NULL
  AND p.created_at < NOW() - INTERVAL :grace MINUTE
  AND (p.asked_at IS NULL OR p.asked_at < NOW() - INTERVAL :grace MINUTE)
ORDER BY p.id
