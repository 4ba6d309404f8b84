-- @class H
-- @title No row hangs in the air: payments, refunds, dues, orders, cases, shifts and log rows name what exists
SELECT CONCAT('allocation ', a.id), CONCAT('payment ', a.payment_id, ', order ', a.order_no)
FROM pay_allocation a
WHERE NOT EXISTS (SELECT 1 FROM payment_record p WHERE p.id = a.payment_id)
   OR NOT EXISTS (SELECT 1 FROM reserve_order o WHERE o.order_no = a.order_no)
UNION ALL
SELECT CONCAT('payment ', p.id), CONCAT('order ', p.order_no)
FROM payment_record p
WHERE p.operator IS NULL AND NOT EXISTS (SELECT 1 FROM pay_allocation a WHERE a.payment_id = p.id)
  AND NOT EXISTS (SELECT 1 FROM reserve_order o WHERE o.order_no = p.order_no)
UNION ALL
SELECT CONCAT('refund ', r.refund_no), CONCAT('payment ', r.payment_id, ', order ', r.order_no)
FROM refund_record r
WHERE NOT EXISTS (SELECT 1 FROM payment_record p WHERE p.id = r.payment_id)
   OR NOT EXISTS (SELECT 1 FROM reserve_order o WHERE o.order_no = r.order_no)
UNION ALL
SELECT CONCAT('due ', d.id), CONCAT('order ', d.order_no)
FROM order_due d
WHERE NOT EXISTS (SELECT 1 FROM reserve_order o WHERE o.order_no = d.order_no)
UNION ALL
SELECT CONCAT('order ', o.order_no), CONCAT('customer ', o.user_id, ', venue ', o.venue_id, ', bill ', COALESCE(o.bill_no, '-'))
FROM reserve_order o
WHERE NOT EXISTS (SELECT 1 FROM t_user u WHERE u.id = o.user_id)
   OR NOT EXISTS (SELECT 1 FROM venue v WHERE v.id = o.venue_id)
   OR (o.bill_no IS NOT NULL AND NOT EXISTS (SELECT 1 FROM bill b WHERE b.bill_no = o.bill_no))
UNION ALL
SELECT CONCAT('log row ', l.id), CONCAT(l.entity, ' ', l.entity_no)
FROM operation_log l
WHERE l.entity = 'venue_order' AND NOT EXISTS (SELECT 1 FROM reserve_order o WHERE o.order_no = l.entity_no)
UNION ALL
SELECT CONCAT('payment ', p.id), CONCAT('shift ', p.shift)
FROM payment_record p
WHERE p.shift IS NOT NULL AND NOT EXISTS (SELECT 1 FROM shift s WHERE s.id = p.shift)
UNION ALL
SELECT CONCAT('refund ', r.refund_no), CONCAT('shift ', r.shift)
FROM refund_record r
WHERE r.shift IS NOT NULL AND NOT EXISTS (SELECT 1 FROM shift s WHERE s.id = r.shift)
UNION ALL
SELECT CONCAT('cash move ', m.id), CONCAT('shift ', m.shift_id)
FROM shift_cash m
WHERE NOT EXISTS (SELECT 1 FROM shift s WHERE s.id = m.shift_id)
UNION ALL
SELECT CONCAT('case ', c.id), CONCAT(c.kind, ' ', c.subject, ', order ', COALESCE(c.order_no, '-'))
FROM money_case c
WHERE (c.order_no IS NOT NULL AND NOT EXISTS (SELECT 1 FROM reserve_order o WHERE o.order_no = c.order_no))
   OR (c.payment_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM payment_record p WHERE p.id = c.payment_id))
   OR (c.refund_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM refund_record r WHERE r.id = c.refund_id))
UNION ALL
SELECT CONCAT('approval ', a.id), CONCAT('order ', a.entity_no)
FROM approval a
WHERE NOT EXISTS (SELECT 1 FROM reserve_order o WHERE o.order_no = a.entity_no)
