-- @class H
-- @title A customer has one holding order for a slot, and the key that ensures it exists
SELECT CONCAT('customer ', o.user_id, ', slot ', o.schedule_id), CONCAT(COUNT(*), ' holding orders, first ', MIN(o.order_no))
FROM reserve_order o
WHERE o.walk_in = 0 AND o.status IN ('PENDING_PAY', 'PAID', 'COMPLETED', 'NO_SHOW', 'REFUNDING')
GROUP BY o.user_id, o.schedule_id
HAVING COUNT(*) > 1
UNION ALL
SELECT 'reserve_order', 'the unique key uk_user_slot_holding (user_id, schedule_id, holding) is missing'
FROM DUAL
WHERE (SELECT COUNT(*) FROM information_schema.statistics k
       WHERE k.table_schema = DATABASE() AND k.table_name = 'reserve_order' AND k.index_name = 'uk_user_slot_holding'
         AND k.non_unique = 0 AND k.column_name IN ('user_id', 'schedule_id', 'holding')) <> 3
