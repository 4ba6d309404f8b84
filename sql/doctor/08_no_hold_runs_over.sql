-- @class E
-- @grace 10
-- @title No order waits for payment long after its time to pay
-- Part-paid orders and live codes wait for a person or the channel.
SELECT CONCAT('order ', o.order_no), CONCAT('to be paid until ', o.expire_time)
FROM reserve_order o
WHERE o.status = 'PENDING_PAY' AND o.expire_time < NOW() - INTERVAL :grace MINUTE
  AND o.paid_amount = 0 AND o.live_codes = 0
  AND NOT EXISTS (SELECT 1 FROM payment_record p
                  WHERE p.order_no = o.order_no AND p.status = 'CREATED' AND p.operator IS NULL)
ORDER BY o.id
