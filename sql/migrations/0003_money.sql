-- Money: attempts at the channels, refunds that take time, approvals, drawers, what needs a person, printing.

-- @unless column payment_record.code
ALTER TABLE payment_record
    ADD COLUMN code VARCHAR(512) NULL COMMENT 'what the QR code says; NULL before the channel answered',
    ADD COLUMN code_until DATETIME NULL COMMENT 'time_expire told to the channel',
    ADD COLUMN receipt_no VARCHAR(32) NULL COMMENT 'our receipt number; payment_no is the channel''s once it is known',
    ADD COLUMN asked_at DATETIME NULL COMMENT 'channel last asked at',
    ADD COLUMN tries INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'how often the channel was asked without a final answer',
    ADD COLUMN rejected_at DATETIME NULL COMMENT 'finance rejected it at',
    ADD KEY idx_open (status, channel, asked_at),
    ADD KEY idx_receipt (receipt_no),
    ADD KEY idx_shift (shift);

-- @unless column refund_record.sent_at
ALTER TABLE refund_record
    ADD COLUMN sent_at DATETIME NULL COMMENT 'first sent to the channel at',
    ADD COLUMN asked_at DATETIME NULL COMMENT 'channel last asked at',
    ADD COLUMN next_at DATETIME NULL COMMENT 'when it is due to be sent or asked again',
    ADD COLUMN channel_refund_no VARCHAR(64) NULL COMMENT 'the channel''s number',
    ADD COLUMN trouble VARCHAR(255) NULL COMMENT 'what the channel said last',
    ADD COLUMN reference VARCHAR(64) NULL COMMENT 'slip or transfer number of money given back by hand',
    ADD COLUMN approval_id BIGINT NULL COMMENT 'second person''s approval that it used',
    ADD COLUMN owed TINYINT NOT NULL DEFAULT 0 COMMENT '1: it failed for good, no other one took its place, and the order did not get the money back',
    ADD KEY idx_open (status, next_at),
    ADD KEY idx_shift (shift);

-- @unless table approval
CREATE TABLE approval (
    id BIGINT NOT NULL AUTO_INCREMENT,
    action VARCHAR(40) NOT NULL COMMENT 'price or refund',
    entity_no VARCHAR(64) NOT NULL COMMENT 'order that it is for',
    amount DECIMAL(10,2) NOT NULL COMMENT 'yuan: refunded, or the new price',
    reason VARCHAR(255) NOT NULL COMMENT 'why',
    content_hash CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'SHA-256 of action, order, its payments, amount and reason',
    requester VARCHAR(64) NOT NULL COMMENT 'operator who asks',
    terminal VARCHAR(64) NOT NULL COMMENT 'where',
    status VARCHAR(20) NOT NULL COMMENT 'WAITING GRANTED DENIED USED',
    approver VARCHAR(64) NULL COMMENT 'second person; never the requester',
    approver_terminal VARCHAR(64) NULL COMMENT 'where',
    request_key VARCHAR(64) NULL COMMENT 'request that made it',
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP COMMENT 'asked at; valid 10 minutes',
    decided_at DATETIME NULL COMMENT 'granted or denied at',
    used_at DATETIME NULL COMMENT 'used at: once',
    PRIMARY KEY (id),
    KEY idx_waiting (status, created_at),
    KEY idx_requester (requester, action, created_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='second person''s approvals';

-- @unless table shift
CREATE TABLE shift (
    id BIGINT NOT NULL AUTO_INCREMENT,
    terminal VARCHAR(64) NOT NULL COMMENT 'drawer',
    status VARCHAR(20) NOT NULL COMMENT 'OPEN CLOSED',
    opened_by VARCHAR(64) NOT NULL,
    opened_at DATETIME NOT NULL,
    opening DECIMAL(10,2) NOT NULL COMMENT 'float at the opening',
    closed_by VARCHAR(64) NULL,
    closed_at DATETIME NULL,
    expected DECIMAL(10,2) NULL COMMENT 'cash that should have been there',
    counted DECIMAL(10,2) NULL COMMENT 'cash counted, before anybody saw what was expected',
    difference DECIMAL(10,2) NULL COMMENT 'counted less expected',
    explanation VARCHAR(255) NULL COMMENT 'of the difference',
    float_left DECIMAL(10,2) NULL COMMENT 'left in the drawer for the next shift',
    denominations VARCHAR(500) NULL COMMENT 'JSON: what was counted, by note and coin',
    report MEDIUMTEXT NULL COMMENT 'JSON of the report as it was at the close',
    request_key VARCHAR(64) NULL COMMENT 'request that closed it',
    version INT NOT NULL DEFAULT 0,
    open_terminal VARCHAR(64) GENERATED ALWAYS AS (CASE WHEN status = 'OPEN' THEN terminal ELSE NULL END) VIRTUAL COMMENT 'one open shift a drawer',
    PRIMARY KEY (id),
    UNIQUE KEY uk_open (open_terminal),
    KEY idx_terminal (terminal, opened_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='shifts of the drawers';

-- @unless table shift_cash
CREATE TABLE shift_cash (
    id BIGINT NOT NULL AUTO_INCREMENT,
    shift_id BIGINT NOT NULL COMMENT 'shift.id',
    amount DECIMAL(10,2) NOT NULL COMMENT 'signed: put in, or taken out',
    reason VARCHAR(255) NOT NULL,
    operator VARCHAR(64) NOT NULL,
    request_key VARCHAR(64) NULL,
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (id),
    KEY idx_shift (shift_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='cash put into and taken out of a drawer without a sale';

-- @unless table money_case
CREATE TABLE money_case (
    id BIGINT NOT NULL AUTO_INCREMENT,
    kind VARCHAR(20) NOT NULL COMMENT 'LATE PART_PAID REFUND SURPLUS UNKNOWN CONFIRM AMOUNT BY_HAND',
    subject VARCHAR(64) NOT NULL COMMENT 'order, payment or refund number that it is about',
    order_no VARCHAR(32) NULL,
    payment_id BIGINT NULL,
    refund_id BIGINT NULL,
    amount DECIMAL(10,2) NOT NULL COMMENT 'yuan at stake',
    cause VARCHAR(255) NOT NULL COMMENT 'what happened',
    status VARCHAR(20) NOT NULL COMMENT 'OPEN TAKEN CLOSED',
    owner VARCHAR(64) NULL COMMENT 'who took it',
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    taken_at DATETIME NULL,
    closed_at DATETIME NULL,
    closed_by VARCHAR(64) NULL,
    outcome VARCHAR(20) NULL COMMENT 'how it ended: refunded, moved, confirmed, rejected, paid_by_hand, kept, settled',
    reason VARCHAR(255) NULL COMMENT 'why so',
    version INT NOT NULL DEFAULT 0,
    open_subject VARCHAR(90) GENERATED ALWAYS AS (CASE WHEN status <> 'CLOSED' THEN CONCAT(kind, ':', subject) ELSE NULL END) VIRTUAL COMMENT 'one open case of a kind for a subject',
    PRIMARY KEY (id),
    UNIQUE KEY uk_open (open_subject),
    KEY idx_status (status, created_at),
    KEY idx_order (order_no)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='what needs a person';

-- @unless table channel_notice
CREATE TABLE channel_notice (
    id BIGINT NOT NULL AUTO_INCREMENT,
    channel VARCHAR(20) NOT NULL,
    notice_id VARCHAR(64) NULL COMMENT 'the channel''s id of it; NULL where it could not be read',
    received_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP COMMENT 'first received at',
    repeats INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'how often it came again',
    outcome VARCHAR(20) NOT NULL COMMENT 'done, known, late, wrong_amount, wrong_merchant, unknown_order, forged, replayed, malformed, failed',
    subject VARCHAR(64) NULL COMMENT 'number of the payment or refund in it',
    raw MEDIUMTEXT NOT NULL COMMENT 'headers and body as they came, cut at 64 KiB',
    PRIMARY KEY (id),
    UNIQUE KEY uk_notice (channel, notice_id),
    KEY idx_received (received_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='what the channels told us';

-- @unless table print_job
CREATE TABLE print_job (
    id BIGINT NOT NULL AUTO_INCREMENT,
    terminal VARCHAR(64) NOT NULL COMMENT 'whose printer',
    kind VARCHAR(20) NOT NULL COMMENT 'receipt, code, ticket, refund, shift, test',
    subject VARCHAR(64) NOT NULL COMMENT 'number that it is about',
    copy INT UNSIGNED NOT NULL DEFAULT 0 COMMENT '0 the original, 1 the first copy',
    document MEDIUMTEXT NOT NULL COMMENT 'JSON of the document',
    status VARCHAR(20) NOT NULL COMMENT 'WAITING SENDING DONE DROPPED',
    tries INT UNSIGNED NOT NULL DEFAULT 0,
    trouble VARCHAR(255) NULL COMMENT 'why it could not be printed last time',
    next_at DATETIME NULL COMMENT 'not before',
    operator VARCHAR(64) NOT NULL,
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    finished_at DATETIME NULL,
    PRIMARY KEY (id),
    KEY idx_waiting (terminal, status, id),
    KEY idx_subject (subject, kind)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='what waits for a printer, and what was printed';
