-- @class H
-- @title What a second person approved was approved by another one, in time, for this order and amount, and used once
-- What finance paid out in cash instead names who paid it out.
SELECT CONCAT('refund ', r.refund_no),
       CONCAT('approval ', r.approval_id, ': ', COALESCE(a.status, 'missing'), ', asked by ', COALESCE(a.requester, '-'), ' for order ',
              COALESCE(a.entity_no, '-'), ', decided by ', COALESCE(a.approver, '-'), ', refund by ', COALESCE(r.operator, '-'), ' of order ', r.order_no)
FROM refund_record r
LEFT JOIN approval a ON a.id = r.approval_id
LEFT JOIN payment_record p ON p.id = r.payment_id
WHERE r.approval_id IS NOT NULL
  AND (a.id IS NULL OR a.status <> 'USED' OR a.entity_no <> r.order_no
       OR ((a.requester <> r.operator OR a.reason <> COALESCE(r.reason, '')) AND NOT (r.channel = 'CASH' AND p.channel <> 'CASH'))
       OR a.used_at IS NULL OR a.used_at > COALESCE(r.sent_at, r.created_at))
UNION ALL
SELECT CONCAT('approval ', a.id), CONCAT(a.status, ', asked by ', a.requester, ' ', a.created_at, ', decided by ', COALESCE(a.approver, '-'), ' ',
                                         COALESCE(a.decided_at, '-'), ', used ', COALESCE(a.used_at, '-'))
FROM approval a
WHERE (a.status IN ('GRANTED', 'DENIED', 'USED') AND (a.approver IS NULL OR a.approver = a.requester OR a.decided_at IS NULL OR a.decided_at < a.created_at))
   OR (a.status = 'USED' AND (a.used_at IS NULL OR a.used_at < a.decided_at))
   OR a.status NOT IN ('WAITING', 'GRANTED', 'DENIED', 'USED')
UNION ALL
SELECT CONCAT('approval ', a.id), CONCAT('for ', a.amount, ', refunds of it ', SUM(r.amount), ' in ', COUNT(DISTINCT r.request_key), ' requests')
FROM approval a
JOIN refund_record r ON r.approval_id = a.id
GROUP BY a.id, a.action, a.amount
HAVING COUNT(DISTINCT r.request_key) > 1 OR (a.action = 'refund' AND SUM(r.amount) <> a.amount)
