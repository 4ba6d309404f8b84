-- The online system's tables that the venue desk shares, exactly as the online system makes
-- them. Where one exists already its columns are compared with the text here and every one
-- that differs is named; nothing of it is changed. Source: domain sections 0, 2 and 5.

-- @expect t_user
CREATE TABLE t_user (
    id BIGINT NOT NULL AUTO_INCREMENT COMMENT 'customer of all businesses',
    openid VARCHAR(64) NULL COMMENT 'identity of the app; NULL for a temporary profile made at the counter',
    nickname VARCHAR(64) NULL COMMENT 'name as shown',
    phone VARCHAR(20) NULL COMMENT 'digits, normalised',
    status TINYINT NOT NULL DEFAULT 1 COMMENT '1 active, 0 blocked',
    create_time DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP COMMENT 'made at, business time',
    PRIMARY KEY (id),
    UNIQUE KEY uk_phone (phone)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='customers';

-- @expect venue
CREATE TABLE venue (
    id BIGINT NOT NULL AUTO_INCREMENT COMMENT 'court, pool, class room or pool of equipment',
    name VARCHAR(64) NOT NULL COMMENT 'name as shown',
    sport_type VARCHAR(32) NOT NULL COMMENT 'sport: badminton, tennis, swimming …',
    address VARCHAR(255) NULL COMMENT 'street address',
    max_people INT NULL COMMENT 'people allowed at once',
    status TINYINT NOT NULL DEFAULT 1 COMMENT '1 in use, 0 out of use',
    create_time DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP COMMENT 'made at',
    update_time DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP COMMENT 'changed at',
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='what can be booked';

-- @expect venue_schedule
CREATE TABLE venue_schedule (
    id BIGINT NOT NULL AUTO_INCREMENT COMMENT 'slot',
    venue_id BIGINT NOT NULL COMMENT 'venue.id',
    schedule_date DATE NOT NULL COMMENT 'day of play',
    start_time TIME NOT NULL COMMENT 'from',
    end_time TIME NOT NULL COMMENT 'to, at most 24:00:00',
    total_count INT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'places in all',
    remain_count INT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'places left',
    price DECIMAL(10,2) NOT NULL COMMENT 'yuan for one place',
    status TINYINT NOT NULL DEFAULT 1 COMMENT '1 open, 0 closed',
    version INT NOT NULL DEFAULT 0 COMMENT 'changes with every change of the row',
    create_time DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP COMMENT 'made at',
    PRIMARY KEY (id),
    UNIQUE KEY uk_venue_slot (venue_id, schedule_date, start_time, end_time),
    KEY idx_date_status (schedule_date, status)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='slots and their stock';

-- @expect reserve_order
CREATE TABLE reserve_order (
    id BIGINT NOT NULL AUTO_INCREMENT COMMENT 'venue order',
    order_no VARCHAR(32) NOT NULL COMMENT 'number as spoken',
    user_id BIGINT NOT NULL COMMENT 't_user.id',
    venue_id BIGINT NOT NULL COMMENT 'venue.id',
    schedule_id BIGINT NOT NULL COMMENT 'venue_schedule.id; no foreign key: it deadlocks with inserts first',
    schedule_date DATE NOT NULL COMMENT 'day of play, as the slot has it',
    start_time TIME NOT NULL COMMENT 'from, as the slot has it',
    end_time TIME NOT NULL COMMENT 'to, as the slot has it',
    quantity INT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'places taken',
    total_amount DECIMAL(10,2) NOT NULL COMMENT 'yuan owed for it in all',
    status VARCHAR(20) NOT NULL DEFAULT 'PENDING_PAY' COMMENT 'PENDING_PAY PAID COMPLETED CANCELLED NO_SHOW REFUNDING REFUNDED',
    expire_time DATETIME NULL COMMENT 'an unpaid hold ends here',
    paid_time DATETIME NULL COMMENT 'paid at',
    cancel_time DATETIME NULL COMMENT 'cancelled at',
    cancel_reason VARCHAR(255) NULL COMMENT 'why cancelled',
    create_time DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP COMMENT 'made at',
    update_time DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP COMMENT 'changed at',
    idempotency_key VARCHAR(64) NULL COMMENT 'key of the request that made it',
    PRIMARY KEY (id),
    UNIQUE KEY uk_order_no (order_no),
    UNIQUE KEY uk_idempotency (idempotency_key),
    KEY idx_user_status (user_id, status),
    KEY idx_schedule (schedule_id),
    KEY idx_status_expire (status, expire_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='venue orders';

-- @expect payment_record
CREATE TABLE payment_record (
    id BIGINT NOT NULL AUTO_INCREMENT COMMENT 'payment',
    order_no VARCHAR(32) NOT NULL COMMENT 'online: the order; desk: a fresh number with the tag PY, see pay_allocation',
    payment_no VARCHAR(64) NULL COMMENT 'number at the channel; desk: our receipt number until that is known',
    channel VARCHAR(20) NOT NULL COMMENT 'WECHAT ALIPAY CASH CARD TRANSFER STATIC VOUCHER',
    amount DECIMAL(10,2) NOT NULL COMMENT 'yuan',
    status VARCHAR(20) NOT NULL DEFAULT 'CREATED' COMMENT 'CREATED SUCCESS FAILED',
    callback_time DATETIME NULL COMMENT 'when the channel told us; desk tenders: when the money was taken',
    callback_payload TEXT NULL COMMENT 'what the channel said, raw',
    notify_status VARCHAR(20) NULL COMMENT 'state of the notification',
    channel_return_code VARCHAR(64) NULL COMMENT 'result at the channel',
    PRIMARY KEY (id),
    UNIQUE KEY uk_payment_no (payment_no),
    UNIQUE KEY uk_order_channel (order_no, channel)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='payments of both systems';
