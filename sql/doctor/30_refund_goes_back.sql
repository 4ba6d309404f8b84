-- @class H
-- @title A refund goes back the way the money came, or in cash by finance with a reason; its end has a time and is final
SELECT CONCAT('refund ', r.refund_no), CONCAT(r.channel, ' for a payment by ', p.channel, ', ', r.status)
FROM refund_record r
JOIN payment_record p ON p.id = r.payment_id
LEFT JOIN operator_account o ON o.name = r.operator
WHERE (r.channel <> p.channel
       AND NOT (r.channel = 'CASH' AND COALESCE(r.reason, '') <> '' AND o.role IN ('finance', 'admin')))
   OR r.status NOT IN ('CREATED', 'PROCESSING', 'SUCCESS', 'FAILED', 'ABNORMAL')
   OR r.kind NOT IN ('WHOLE', 'AMOUNT', 'QUANTITY')
   OR (r.status IN ('SUCCESS', 'FAILED') AND r.finished_at IS NULL)
   OR (r.status IN ('CREATED', 'PROCESSING') AND r.finished_at IS NOT NULL)
   OR (r.owed = 1 AND r.status <> 'FAILED')
   OR (r.channel = 'CARD' AND r.status = 'SUCCESS' AND r.reference IS NULL)
UNION ALL
SELECT CONCAT('refund ', l.entity_no), CONCAT('log row ', l.id, ': left SUCCESS for ', l.state_after)
FROM operation_log l
WHERE l.entity = 'refund' AND l.state_before = 'SUCCESS' AND l.state_after <> 'SUCCESS'
