-- @class H
-- @title What a second person approved was approved by another one, in time, for this order and amount, and used once
-- What finance paid out in cash instead names who paid it out. What had to be sent again under a new number keeps the
-- approval with the first of them, and one of them at most is in force; what went back after all is a case.
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
UNION ALL
SELECT CONCAT('refund ', r.refund_no), CONCAT('sends refund ', COALESCE(f.refund_no, r.first_id), ' again, which is ',
                                              COALESCE(f.status, 'missing'), ' and of ', COALESCE(f.amount, '-'), ', with ', r.amount)
FROM refund_record r
LEFT JOIN refund_record f ON f.id = r.first_id
WHERE r.first_id IS NOT NULL
  AND (f.id IS NULL OR f.first_id IS NOT NULL OR f.status NOT IN ('FAILED', 'SUCCESS') OR f.owed = 1 OR f.payment_id <> r.payment_id
       OR f.order_no <> r.order_no OR f.amount <> r.amount OR r.approval_id IS NOT NULL)
UNION ALL
SELECT CONCAT('refund ', f.refund_no), CONCAT('sent again ', COUNT(*), ' times, of them in force ', SUM(n.status <> 'FAILED' OR n.owed = 1))
FROM (SELECT r.first_id, r.status, r.owed, r.refund_no FROM refund_record r WHERE r.first_id IS NOT NULL
      UNION ALL
      SELECT r.id, r.status, r.owed, r.refund_no FROM refund_record r WHERE r.id IN (SELECT a.first_id FROM refund_record a)) n
JOIN refund_record f ON f.id = n.first_id
WHERE NOT (n.status = 'SUCCESS' AND EXISTS (SELECT 1 FROM money_case c WHERE c.subject = n.refund_no AND c.kind = 'REFUND'))
GROUP BY f.id, f.refund_no
HAVING SUM(n.status <> 'FAILED' OR n.owed = 1) > 1
