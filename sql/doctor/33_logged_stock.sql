-- @class H
-- @title What the log says an order took of a slot is what it holds there
-- Only for orders that nobody but frontdesk wrote.
SELECT CONCAT('order ', o.order_no, ', slot ', m.schedule_id),
       CONCAT('logged ', m.moved, ', ', o.status, ' quantity ', o.quantity, ' on slot ', o.schedule_id)
FROM (SELECT l.entity_no, l.schedule_id, SUM(l.stock_change) AS moved
      FROM operation_log l
      WHERE l.entity = 'venue_order' AND l.schedule_id IS NOT NULL
      GROUP BY l.entity_no, l.schedule_id) m
JOIN reserve_order o ON o.order_no = m.entity_no
WHERE m.moved <> CASE WHEN o.schedule_id = m.schedule_id
                       AND o.status IN ('PENDING_PAY', 'PAID', 'COMPLETED', 'NO_SHOW', 'REFUNDING')
                      THEN -CAST(o.quantity AS SIGNED) ELSE 0 END
  AND NOT EXISTS (SELECT 1 FROM order_change c WHERE c.entity = 'venue_order' AND c.order_no = o.order_no)
ORDER BY o.id
