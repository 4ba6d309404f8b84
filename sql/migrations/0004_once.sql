-- What is to happen once: a count that is blind, a refund in the day's sum, an original on paper; and late once is late
-- for good.

-- @unless column shift.first_counted
ALTER TABLE shift
    ADD COLUMN first_counted DECIMAL(10,2) NULL COMMENT 'cash as it was counted first without an explanation; another count than that needs one';

-- @unless column refund_record.first_id
ALTER TABLE refund_record
    ADD COLUMN first_id BIGINT NULL COMMENT 'refund_record.id of the first refund that it sends again under a new number; NULL: it is none',
    ADD KEY idx_first (first_id);

-- @unless column reserve_order.moved_late
ALTER TABLE reserve_order
    ADD COLUMN moved_late TINYINT NOT NULL DEFAULT 0 COMMENT '1: moved when cancelling it was not free any more, which it stays';

-- Where two of one thing were both printed as the original, the later one is called a copy.
-- @unless column print_job.original_of
UPDATE print_job j JOIN print_job o ON o.subject = j.subject AND o.kind = j.kind AND o.id < j.id
SET j.copy = 1
WHERE j.copy = 0 AND j.status <> 'DROPPED' AND o.copy = 0 AND o.status <> 'DROPPED';

-- @unless column print_job.original_of
ALTER TABLE print_job
    ADD COLUMN original_of VARCHAR(90) GENERATED ALWAYS AS (CASE WHEN copy = 0 AND status <> 'DROPPED' THEN CONCAT(kind, ':', subject) ELSE NULL END) VIRTUAL COMMENT 'one original of a kind for a subject',
    ADD UNIQUE KEY uk_original (original_of);
