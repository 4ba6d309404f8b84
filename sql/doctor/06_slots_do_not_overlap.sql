-- @class H
-- @title Slots of one venue never overlap in time
-- A closed slot that holds nobody may lie under another: opening it is what is refused.
SELECT CONCAT('slots ', a.id, ' and ', b.id),
       CONCAT('venue ', a.venue_id, ' ', a.schedule_date, ' ', a.start_time, '-', a.end_time, ' and ', b.start_time, '-', b.end_time)
FROM venue_schedule a
JOIN venue_schedule b ON b.venue_id = a.venue_id AND b.schedule_date = a.schedule_date AND b.id > a.id
                     AND b.start_time < a.end_time AND b.end_time > a.start_time
WHERE (a.status = 1 OR a.remain_count < a.total_count) AND (b.status = 1 OR b.remain_count < b.total_count)
ORDER BY a.id, b.id
