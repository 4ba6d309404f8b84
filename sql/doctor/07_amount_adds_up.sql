-- @class H
-- @title An order has a quantity and an amount, and the amount is what was logged for it
-- Orders that the online system touched keep their own arithmetic.
SELECT CONCAT('order ', o.order_no), CONCAT('quantity ', o.quantity, ', amount ', o.total_amount)
FROM reserve_order o
WHERE o.quantity < 1 OR o.total_amount < 0
UNION ALL
SELECT CONCAT('order ', o.order_no), CONCAT('amount ', o.total_amount, ', logged ', l.amount)
FROM reserve_order o
JOIN (SELECT g.entity_no, SUM(g.amount_change) AS amount
      FROM operation_log g
      WHERE g.entity = 'venue_order' AND g.amount_change IS NOT NULL
      GROUP BY g.entity_no) l ON l.entity_no = o.order_no
WHERE o.quantity >= 1 AND o.total_amount >= 0 AND o.operator IS NOT NULL AND o.total_amount <> l.amount
  AND NOT EXISTS (SELECT 1 FROM order_change c WHERE c.entity = 'venue_order' AND c.order_no = o.order_no)
UNION ALL
SELECT CONCAT('order ', l.entity_no), CONCAT('booked for ', l.amount_change, ', price and quantity say otherwise: ', l.after_values)
FROM operation_log l
WHERE l.entity = 'venue_order' AND l.event = 'book'
  AND l.amount_change <> CAST(JSON_UNQUOTE(JSON_EXTRACT(l.after_values, '$.price')) AS DECIMAL(10,2)) * -l.stock_change
