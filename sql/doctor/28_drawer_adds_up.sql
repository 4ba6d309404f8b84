-- @class H
-- @title A closed shift's drawer adds up: float, cash in and out make what was expected, and a difference is explained
WITH cash AS (
    SELECT shift, SUM(amount) AS amount FROM payment_record
    WHERE channel = 'CASH' AND status = 'SUCCESS' AND shift IS NOT NULL GROUP BY shift
), back AS (
    SELECT shift, SUM(amount) AS amount FROM refund_record
    WHERE channel = 'CASH' AND status = 'SUCCESS' AND shift IS NOT NULL GROUP BY shift
), moved AS (
    SELECT shift_id, SUM(amount) AS amount FROM shift_cash GROUP BY shift_id
)
SELECT CONCAT('shift ', s.id),
       CONCAT(s.terminal, ', float ', s.opening, ', taken ', COALESCE(c.amount, 0), ', given back ', COALESCE(b.amount, 0), ', moved ',
              COALESCE(m.amount, 0), ', expected ', COALESCE(s.expected, '-'), ', counted ', COALESCE(s.counted, '-'), ', difference ',
              COALESCE(s.difference, '-'))
FROM shift s
LEFT JOIN cash c ON c.shift = s.id
LEFT JOIN back b ON b.shift = s.id
LEFT JOIN moved m ON m.shift_id = s.id
WHERE s.status = 'CLOSED'
  AND (s.expected IS NULL OR s.counted IS NULL OR s.difference IS NULL OR s.closed_at IS NULL OR s.closed_by IS NULL
       OR s.expected <> s.opening + COALESCE(c.amount, 0) - COALESCE(b.amount, 0) + COALESCE(m.amount, 0)
       OR s.difference <> s.counted - s.expected
       OR (s.difference <> 0 AND COALESCE(s.explanation, '') = '')
       OR s.float_left > s.counted)
ORDER BY s.id
