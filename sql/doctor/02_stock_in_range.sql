-- @class H
-- @title A slot never has more places left than in all
SELECT CONCAT('slot ', s.id), CONCAT('left ', s.remain_count, ' of ', s.total_count)
FROM venue_schedule s
WHERE s.remain_count > s.total_count
ORDER BY s.id
