-- @class H
-- @title A refund goes back the way the money came, or in cash by finance with a reason; its end has a time
SELECT CONCAT('refund ', r.refund_no), CONCAT(r.channel, ' for a payment by ', p.channel, ', ', r.status)
FROM refund_record r
JOIN payment_record p ON p.id = r.payment_id
LEFT JOIN operator_account o ON o.name = r.operator
WHERE (r.channel <> p.channel
       AND NOT (r.channel = 'CASH' AND COALESCE(r.reason, '') <> '' AND o.role IN ('finance', 'admin')))
   OR r.status NOT IN ('CREATED', 'PROCESSING', 'SUCCESS', 'FAILED', 'ABNORMAL')
   OR r.kind NOT IN ('WHOLE', 'AMOUNT', 'QUANTITY')
   OR (r.status = 'SUCCESS' AND r.finished_at IS NULL)
ORDER BY r.id
