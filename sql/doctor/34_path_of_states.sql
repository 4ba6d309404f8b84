-- @class H
-- @title The log and the changes made online form an unbroken path to an order's present state, by allowed moves
-- A path leaves every state as often as it enters it, but the last, which it enters once more. Orders older than the
-- log begin where their first change was recorded.
WITH steps AS (
    SELECT l.entity_no AS order_no, l.state_before AS was, l.state_after AS became
    FROM operation_log l
    WHERE l.entity = 'venue_order' AND l.state_after IS NOT NULL
    UNION ALL
    SELECT c.order_no, c.old_status, c.new_status FROM order_change c WHERE c.entity = 'venue_order'
), ends AS (
    SELECT order_no, became AS state, 1 AS step FROM steps WHERE became IS NOT NULL
    UNION ALL
    SELECT order_no, was, -1 FROM steps WHERE was IS NOT NULL
), balance AS (
    SELECT order_no, state, SUM(step) AS entered FROM ends GROUP BY order_no, state
), made AS (
    SELECT order_no, COUNT(*) AS times FROM steps WHERE was IS NULL GROUP BY order_no
)
SELECT CONCAT('order ', o.order_no), CONCAT('is ', o.status, ', the path ends otherwise: ', b.state, ' entered ', b.entered, ' times more than left')
FROM balance b
JOIN reserve_order o ON o.order_no = b.order_no
LEFT JOIN made m ON m.order_no = b.order_no
WHERE CASE WHEN m.times IS NOT NULL THEN b.entered <> CASE WHEN b.state = o.status THEN 1 ELSE 0 END
           ELSE b.entered > CASE WHEN b.state = o.status THEN 1 ELSE 0 END OR (b.state = o.status AND b.entered < 0) END
UNION ALL
SELECT CONCAT('order ', o.order_no), CONCAT('is ', o.status, ', which its path never enters')
FROM (SELECT DISTINCT order_no FROM balance) p
JOIN reserve_order o ON o.order_no = p.order_no
LEFT JOIN balance b ON b.order_no = o.order_no AND b.state = o.status
WHERE b.order_no IS NULL
UNION ALL
SELECT CONCAT('order ', l.entity_no), CONCAT('log row ', l.id, ': no rule allows ', l.event, ' from ', l.state_before, ' to ', l.state_after)
FROM operation_log l
LEFT JOIN state_rule r ON r.entity = l.entity AND r.from_state = l.state_before AND r.event = l.event AND r.to_state = l.state_after
WHERE l.entity = 'venue_order' AND l.state_before IS NOT NULL AND l.state_before <> l.state_after AND r.event IS NULL
