-- @class E
-- @grace 40
-- @title No refund waits without being sent or asked for, and every one that failed is somebody's case
-- The worker asks at least every half hour; what it gave up, and what a hand has to give back, is a case.
SELECT CONCAT('refund ', r.refund_no),
       CONCAT(r.status, ', ', r.channel, ', made ', r.created_at, ', next ', COALESCE(r.next_at, '-'), ', nobody has it: ', COALESCE(r.trouble, '-'))
FROM refund_record r
WHERE r.created_at < NOW() - INTERVAL :grace MINUTE
  AND ((r.status IN ('CREATED', 'PROCESSING') AND (r.next_at IS NULL OR r.next_at < NOW() - INTERVAL :grace MINUTE))
       OR r.status = 'ABNORMAL')
  AND NOT EXISTS (SELECT 1 FROM money_case c WHERE c.subject = r.refund_no AND c.kind IN ('REFUND', 'UNKNOWN', 'AMOUNT', 'BY_HAND') AND c.status <> 'CLOSED')
UNION ALL
SELECT CONCAT('refund ', r.refund_no), CONCAT('failed, ', r.amount, ' is owed to the customer, and it never was a case')
FROM refund_record r
WHERE r.status = 'FAILED' AND r.owed = 1
  AND NOT EXISTS (SELECT 1 FROM money_case c WHERE c.subject = r.refund_no AND c.kind = 'REFUND')
