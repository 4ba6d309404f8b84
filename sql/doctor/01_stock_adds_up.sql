-- @class H
-- @title A slot's places left and its holding orders make its places in all
-- A slot that rule 2 names is left to rule 2.
SELECT CONCAT('slot ', s.id),
       CONCAT('left ', s.remain_count, ' + held ', COALESCE(h.held, 0), ' is not total ', s.total_count)
FROM venue_schedule s
LEFT JOIN (SELECT o.schedule_id, SUM(o.quantity) AS held
           FROM reserve_order o
           WHERE o.status IN ('PENDING_PAY', 'PAID', 'COMPLETED', 'NO_SHOW', 'REFUNDING')
           GROUP BY o.schedule_id) h ON h.schedule_id = s.id
WHERE s.remain_count <= s.total_count AND s.remain_count + COALESCE(h.held, 0) <> s.total_count
ORDER BY s.id
