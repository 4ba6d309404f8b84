-- @class H
-- @title Slots of one venue never overlap in time
-- A closed slot that holds nobody may lie under another: opening it is what is refused. In order of start a slot
-- overlaps where it begins before the latest end of those before it.
SELECT CONCAT('slot ', x.id),
       CONCAT('venue ', x.venue_id, ' ', x.schedule_date, ' ', x.start_time, '-', x.end_time, ' begins before ', x.end_before, ', the end of another')
FROM (SELECT s.id, s.venue_id, s.schedule_date, s.start_time, s.end_time,
             MAX(s.end_time) OVER (PARTITION BY s.venue_id, s.schedule_date ORDER BY s.start_time, s.id
                                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS end_before
      FROM venue_schedule s
      WHERE s.status = 1 OR s.remain_count < s.total_count) x
WHERE x.start_time < x.end_before
ORDER BY x.id
