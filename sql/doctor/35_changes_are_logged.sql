-- @class H
-- @title Every change of state made by frontdesk is in the log, with its request or the worker's run
SELECT CONCAT('order ', o.order_no), 'made at the counter, but the log has no row of its making'
FROM reserve_order o
WHERE o.operator IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM operation_log l
                  WHERE l.entity = 'venue_order' AND l.entity_no = o.order_no AND l.state_before IS NULL AND l.state_after IS NOT NULL)
UNION ALL
SELECT CONCAT('order ', l.entity_no), CONCAT('log row ', l.id, ' (', l.event, ' by ', l.operator, ') names neither request nor run')
FROM operation_log l
WHERE l.entity = 'venue_order' AND l.state_after IS NOT NULL AND NOT (l.state_before <=> l.state_after)
  AND l.request_key IS NULL AND l.run_id IS NULL AND l.event <> 'expire'
