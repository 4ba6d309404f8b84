-- What frontdesk adds. An added column has a default, is NULL or generated, so that the online
-- system's INSERT and UPDATE go on working without it. Source: domain sections 0, 1, 2, 5, 6.

-- @unless column t_user.name_initials
ALTER TABLE t_user
    ADD COLUMN name_initials VARCHAR(32) NULL COMMENT 'pinyin initials of the name, for search',
    ADD COLUMN note VARCHAR(255) NULL COMMENT 'what clerks should know',
    ADD COLUMN alert VARCHAR(255) NULL COMMENT 'warning shown whenever the phone is typed',
    ADD COLUMN walk_in TINYINT NOT NULL DEFAULT 0 COMMENT '1: the reserved customer for people without a phone',
    ADD COLUMN version INT NOT NULL DEFAULT 0 COMMENT 'changes with every change by frontdesk',
    ADD COLUMN phone_tail VARCHAR(4) GENERATED ALWAYS AS (RIGHT(phone, 4)) VIRTUAL COMMENT 'last 4 digits, for search',
    ADD KEY idx_phone_tail (phone_tail),
    ADD KEY idx_name_initials (name_initials),
    ADD KEY idx_nickname (nickname);

-- @unless column venue.stock_form
ALTER TABLE venue
    ADD COLUMN stock_form VARCHAR(20) NOT NULL DEFAULT 'COURT' COMMENT 'COURT one party a slot, PLACE places, HOURLY or DAILY equipment',
    ADD COLUMN sort_order INT NOT NULL DEFAULT 0 COMMENT 'order of columns in the day grid',
    ADD COLUMN version INT NOT NULL DEFAULT 0 COMMENT 'writers of a venue''s slots change it first';

-- @unless column venue_schedule.close_reason
ALTER TABLE venue_schedule
    ADD COLUMN close_reason VARCHAR(100) NULL COMMENT 'why it is closed, shown in the grid',
    ADD KEY idx_day_grid (schedule_date, venue_id, start_time, end_time, status, total_count, remain_count, price, close_reason);

-- Keys of the shared tables that queries name or rest on. Where the online system has the same under another name it is
-- renamed.
-- @unless index t_user.uk_phone
ALTER TABLE t_user ADD UNIQUE KEY uk_phone (phone);

-- @unless index venue_schedule.uk_venue_slot
ALTER TABLE venue_schedule ADD UNIQUE KEY uk_venue_slot (venue_id, schedule_date, start_time, end_time);

-- @unless index reserve_order.uk_order_no
ALTER TABLE reserve_order ADD UNIQUE KEY uk_order_no (order_no);

-- @unless index reserve_order.uk_idempotency
ALTER TABLE reserve_order ADD UNIQUE KEY uk_idempotency (idempotency_key);

-- @unless index reserve_order.idx_user_status
ALTER TABLE reserve_order ADD KEY idx_user_status (user_id, status);

-- @unless index reserve_order.idx_schedule
ALTER TABLE reserve_order ADD KEY idx_schedule (schedule_id);

-- @unless index reserve_order.idx_status_expire
ALTER TABLE reserve_order ADD KEY idx_status_expire (status, expire_time);

-- @unless index payment_record.uk_payment_no
ALTER TABLE payment_record ADD UNIQUE KEY uk_payment_no (payment_no);

-- @unless index payment_record.uk_order_channel
ALTER TABLE payment_record ADD UNIQUE KEY uk_order_channel (order_no, channel);

-- @dropunique reserve_order user_id,schedule_id

-- @unless column reserve_order.version
ALTER TABLE reserve_order
    ADD COLUMN version INT NOT NULL DEFAULT 0 COMMENT 'changes with every change by frontdesk',
    ADD COLUMN paid_amount DECIMAL(10,2) NOT NULL DEFAULT 0 COMMENT 'yuan received by desk tenders and still kept',
    ADD COLUMN live_codes INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'payment codes that are not final',
    ADD COLUMN bill_no VARCHAR(32) NULL COMMENT 'bill of the cart; NULL for online orders',
    ADD COLUMN unit_price DECIMAL(10,2) NULL COMMENT 'yuan for one place when it was booked',
    ADD COLUMN operator VARCHAR(64) NULL COMMENT 'operator who made it; NULL: online',
    ADD COLUMN terminal VARCHAR(64) NULL COMMENT 'terminal where it was made',
    ADD COLUMN walk_in TINYINT NOT NULL DEFAULT 0 COMMENT '1: sold to somebody without a phone',
    ADD COLUMN note VARCHAR(255) NULL COMMENT 'remark',
    ADD COLUMN check_in_time DATETIME NULL COMMENT 'checked in at',
    ADD COLUMN hold_until_kind VARCHAR(10) NULL COMMENT 'what the clerk chose: minutes, before, start',
    ADD COLUMN order_no_rev VARCHAR(32) GENERATED ALWAYS AS (REVERSE(order_no)) VIRTUAL COMMENT 'for search by tail',
    ADD COLUMN holding TINYINT GENERATED ALWAYS AS (CASE WHEN status IN ('PENDING_PAY', 'PAID', 'COMPLETED', 'NO_SHOW', 'REFUNDING') AND walk_in = 0 THEN 1 ELSE NULL END) VIRTUAL COMMENT '1 while it holds its place for one customer',
    ADD UNIQUE KEY uk_user_slot_holding (user_id, schedule_id, holding),
    ADD KEY idx_order_no_rev (order_no_rev),
    ADD KEY idx_bill (bill_no),
    ADD KEY idx_day (schedule_date, id),
    ADD KEY idx_status_day (status, schedule_date, id),
    ADD KEY idx_venue_day (venue_id, schedule_date, id),
    ADD KEY idx_operator_day (operator, schedule_date, id),
    ADD KEY idx_user (user_id, id),
    ADD KEY idx_created (create_time);

-- @unless column payment_record.operator
ALTER TABLE payment_record
    ADD COLUMN operator VARCHAR(64) NULL COMMENT 'who took it; NULL: online',
    ADD COLUMN terminal VARCHAR(64) NULL COMMENT 'where it was taken',
    ADD COLUMN shift BIGINT NULL COMMENT 'shift of the drawer; NULL until shifts exist',
    ADD COLUMN tendered DECIMAL(10,2) NULL COMMENT 'cash handed over, yuan; change is tendered less amount',
    ADD COLUMN reference VARCHAR(64) NULL COMMENT 'slip, transfer or voucher number',
    ADD COLUMN confirmed_at DATETIME NULL COMMENT 'finance confirmed at; NULL on a transfer, static code or voucher: to be confirmed',
    ADD COLUMN refunded_amount DECIMAL(10,2) NOT NULL DEFAULT 0 COMMENT 'refunds in force, yuan',
    ADD COLUMN request_key VARCHAR(64) NULL COMMENT 'request that made it',
    ADD COLUMN created_at DATETIME NULL DEFAULT CURRENT_TIMESTAMP COMMENT 'made at',
    ADD KEY idx_created (created_at, channel);

-- @unless table pay_allocation
CREATE TABLE pay_allocation (
    id BIGINT NOT NULL AUTO_INCREMENT,
    payment_id BIGINT NOT NULL COMMENT 'payment_record.id',
    order_no VARCHAR(32) NOT NULL COMMENT 'order that it pays',
    amount DECIMAL(10,2) NOT NULL COMMENT 'yuan of it for that order',
    PRIMARY KEY (id),
    UNIQUE KEY uk_payment_order (payment_id, order_no),
    KEY idx_order (order_no)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='what a payment pays; a payment without rows here pays its order whole';

-- @unless table refund_record
CREATE TABLE refund_record (
    id BIGINT NOT NULL AUTO_INCREMENT,
    refund_no VARCHAR(32) NOT NULL COMMENT 'our number, tag RF',
    payment_id BIGINT NOT NULL COMMENT 'payment_record.id that it gives back',
    order_no VARCHAR(32) NOT NULL COMMENT 'order that it is for',
    amount DECIMAL(10,2) NOT NULL COMMENT 'yuan, above 0',
    quantity INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'places given back with it',
    kind VARCHAR(20) NOT NULL COMMENT 'WHOLE, AMOUNT or QUANTITY',
    channel VARCHAR(20) NOT NULL COMMENT 'the way it goes back',
    reason VARCHAR(255) NULL COMMENT 'why',
    status VARCHAR(20) NOT NULL COMMENT 'CREATED PROCESSING SUCCESS FAILED ABNORMAL',
    tries INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'how often it was sent',
    operator VARCHAR(64) NULL COMMENT 'who asked for it',
    terminal VARCHAR(64) NULL COMMENT 'where',
    shift BIGINT NULL COMMENT 'shift of the drawer; NULL until shifts exist',
    request_key VARCHAR(64) NULL COMMENT 'request that made it',
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP COMMENT 'made at',
    finished_at DATETIME NULL COMMENT 'final at',
    PRIMARY KEY (id),
    UNIQUE KEY uk_refund_no (refund_no),
    KEY idx_order (order_no),
    KEY idx_payment (payment_id),
    KEY idx_created (created_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='money given back';

-- @unless table order_due
CREATE TABLE order_due (
    id BIGINT NOT NULL AUTO_INCREMENT,
    order_no VARCHAR(32) NOT NULL COMMENT 'paid order that still owes',
    amount DECIMAL(10,2) NOT NULL COMMENT 'yuan owed',
    cause VARCHAR(40) NOT NULL COMMENT 'move, quantity, rejected …',
    payment_id BIGINT NULL COMMENT 'payment that settled it',
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP COMMENT 'made at',
    settled_at DATETIME NULL COMMENT 'settled at; NULL: open',
    PRIMARY KEY (id),
    KEY idx_order (order_no, settled_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='what paid orders still owe';

-- @unless table bill
CREATE TABLE bill (
    id BIGINT NOT NULL AUTO_INCREMENT,
    bill_no VARCHAR(32) NOT NULL COMMENT 'our number, tag BL',
    user_id BIGINT NOT NULL COMMENT 't_user.id',
    operator VARCHAR(64) NOT NULL COMMENT 'who made it',
    terminal VARCHAR(64) NOT NULL COMMENT 'where',
    request_key VARCHAR(64) NOT NULL COMMENT 'request that made it',
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP COMMENT 'made at',
    PRIMARY KEY (id),
    UNIQUE KEY uk_bill_no (bill_no),
    KEY idx_user (user_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='orders booked and paid together';

-- @unless table op_request
CREATE TABLE op_request (
    request_key VARCHAR(48) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'made by the caller when the form is opened',
    action VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'noun.verb',
    request_hash CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'SHA-256 of the content',
    operator VARCHAR(64) NOT NULL COMMENT 'who asked',
    result MEDIUMTEXT NULL COMMENT 'first answer',
    created_at DATETIME NOT NULL COMMENT 'done at; kept 30 days',
    PRIMARY KEY (request_key),
    KEY idx_created (created_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='what was done already: the same key changes nothing twice';

-- @unless table operation_log
CREATE TABLE operation_log (
    id BIGINT NOT NULL AUTO_INCREMENT,
    logged_at DATETIME NOT NULL COMMENT 'business time',
    request_key VARCHAR(48) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'op_request.request_key',
    run_id VARCHAR(32) NULL COMMENT 'run of the worker',
    operator VARCHAR(64) NOT NULL COMMENT 'who; worker, setup for the program itself',
    role VARCHAR(20) NOT NULL COMMENT 'role then',
    terminal VARCHAR(64) NOT NULL COMMENT 'where',
    action VARCHAR(40) NOT NULL COMMENT 'noun.verb',
    entity VARCHAR(20) NOT NULL COMMENT 'venue_order, slot, venue, customer, operator, param, payment …',
    entity_no VARCHAR(64) NOT NULL COMMENT 'order number, id or name of it',
    event VARCHAR(20) NOT NULL COMMENT 'event of the state rules, or what was done',
    state_before VARCHAR(20) NULL COMMENT 'NULL: it was made, or has no states',
    state_after VARCHAR(20) NULL,
    schedule_id BIGINT NULL COMMENT 'slot whose stock changed',
    stock_change INT NULL COMMENT 'signed places: negative is taken',
    amount_change DECIMAL(10,2) NULL COMMENT 'signed yuan that total_amount changed by',
    reason VARCHAR(255) NULL COMMENT 'why',
    before_values TEXT NULL COMMENT 'JSON of what changed, as it was',
    after_values TEXT NULL COMMENT 'JSON of what changed, as it is',
    PRIMARY KEY (id),
    KEY idx_entity (entity, entity_no, id),
    KEY idx_time (logged_at, id),
    KEY idx_operator (operator, logged_at),
    KEY idx_request (request_key)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='who did what, when, where and why; insert only';

-- @unless table order_change
CREATE TABLE order_change (
    id BIGINT NOT NULL AUTO_INCREMENT,
    changed_at DATETIME NOT NULL COMMENT 'business time of the writer''s session',
    entity VARCHAR(20) NOT NULL COMMENT 'venue_order',
    order_no VARCHAR(32) NOT NULL,
    old_status VARCHAR(20) NULL COMMENT 'NULL: inserted',
    new_status VARCHAR(20) NULL COMMENT 'NULL: deleted',
    old_values VARCHAR(500) NULL COMMENT 'slot, quantity, amount, time to pay as they were',
    new_values VARCHAR(500) NULL,
    database_user VARCHAR(128) NOT NULL COMMENT 'account and machine that wrote',
    PRIMARY KEY (id),
    KEY idx_order (entity, order_no, id),
    KEY idx_time (changed_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='changes of orders that frontdesk did not make';

-- @unless table state_rule
CREATE TABLE state_rule (
    entity VARCHAR(20) NOT NULL COMMENT 'venue_order …',
    from_state VARCHAR(20) NOT NULL,
    event VARCHAR(20) NOT NULL,
    to_state VARCHAR(20) NOT NULL,
    actors VARCHAR(100) NOT NULL COMMENT 'customer, operator, worker, channel, kiosk, online',
    reason_needed TINYINT NOT NULL DEFAULT 0,
    text VARCHAR(255) NOT NULL COMMENT 'the rule in words',
    PRIMARY KEY (entity, from_state, event)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='allowed changes of state, shared with the online system';

-- @unless table state_rule_version
CREATE TABLE state_rule_version (
    id TINYINT NOT NULL DEFAULT 1,
    version INT NOT NULL COMMENT 'number of the set of rules',
    content_hash CHAR(64) NOT NULL COMMENT 'SHA-256 of the rules',
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='which rules these are';

-- @unless table role_action
CREATE TABLE role_action (
    role VARCHAR(20) NOT NULL COMMENT 'clerk, finance, admin, kiosk, worker',
    action VARCHAR(40) NOT NULL COMMENT 'noun.verb, or a permission such as refund_late',
    PRIMARY KEY (role, action)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='which role may do what; an administrator may change it';

-- @unless table operator_account
CREATE TABLE operator_account (
    id BIGINT NOT NULL AUTO_INCREMENT,
    name VARCHAR(64) NOT NULL COMMENT 'what is typed at sign-in',
    display_name VARCHAR(64) NOT NULL COMMENT 'what screens show',
    role VARCHAR(20) NOT NULL COMMENT 'clerk, finance, admin, kiosk, worker',
    password_hash VARCHAR(255) NOT NULL COMMENT 'crypt(5), yescrypt; empty: cannot sign in',
    failed_count INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'wrong passwords since the last right one',
    locked_at DATETIME NULL COMMENT 'locked since',
    disabled TINYINT NOT NULL DEFAULT 0,
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    password_changed_at DATETIME NULL,
    version INT NOT NULL DEFAULT 0,
    PRIMARY KEY (id),
    UNIQUE KEY uk_operator_name (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='people (and the worker) who act';

-- @unless table param
CREATE TABLE param (
    name VARCHAR(40) NOT NULL COMMENT 'only what differs from the default stands here',
    value VARCHAR(64) NOT NULL,
    updated_at DATETIME NOT NULL,
    updated_by VARCHAR(64) NOT NULL,
    PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci COMMENT='parameters of the business';

INSERT INTO operator_account (name, display_name, role, password_hash)
    SELECT 'worker', 'worker', 'worker', '' FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM operator_account o WHERE o.name = 'worker');

INSERT INTO t_user (nickname, phone, status, walk_in, name_initials)
    SELECT '散客', NULL, 1, 1, 'sk' FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM t_user u WHERE u.walk_in = 1);

-- @unless trigger reserve_order_inserted
CREATE TRIGGER reserve_order_inserted AFTER INSERT ON reserve_order FOR EACH ROW
BEGIN
    IF @fd_session IS NULL THEN
        INSERT INTO order_change (changed_at, entity, order_no, old_status, new_status, old_values, new_values, database_user)
        VALUES (NOW(), 'venue_order', NEW.order_no, NULL, NEW.status, NULL,
                CONCAT('slot=', NEW.schedule_id, ' quantity=', NEW.quantity, ' amount=', NEW.total_amount, ' pay_until=', COALESCE(NEW.expire_time, '')),
                USER());
    END IF;
END;

-- @unless trigger reserve_order_updated
CREATE TRIGGER reserve_order_updated AFTER UPDATE ON reserve_order FOR EACH ROW
BEGIN
    IF @fd_session IS NULL THEN
        INSERT INTO order_change (changed_at, entity, order_no, old_status, new_status, old_values, new_values, database_user)
        VALUES (NOW(), 'venue_order', NEW.order_no, OLD.status, NEW.status,
                CONCAT('slot=', OLD.schedule_id, ' quantity=', OLD.quantity, ' amount=', OLD.total_amount, ' pay_until=', COALESCE(OLD.expire_time, ''), ' user=', OLD.user_id),
                CONCAT('slot=', NEW.schedule_id, ' quantity=', NEW.quantity, ' amount=', NEW.total_amount, ' pay_until=', COALESCE(NEW.expire_time, ''), ' user=', NEW.user_id),
                USER());
    END IF;
END;

-- @unless trigger reserve_order_deleted
CREATE TRIGGER reserve_order_deleted AFTER DELETE ON reserve_order FOR EACH ROW
BEGIN
    IF @fd_session IS NULL THEN
        INSERT INTO order_change (changed_at, entity, order_no, old_status, new_status, old_values, new_values, database_user)
        VALUES (NOW(), 'venue_order', OLD.order_no, OLD.status, NULL,
                CONCAT('slot=', OLD.schedule_id, ' quantity=', OLD.quantity, ' amount=', OLD.total_amount), NULL, USER());
    END IF;
END;

-- @unless trigger operation_log_no_update
CREATE TRIGGER operation_log_no_update BEFORE UPDATE ON operation_log FOR EACH ROW
BEGIN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'operation_log is insert only';
END;

-- @unless trigger operation_log_no_delete
CREATE TRIGGER operation_log_no_delete BEFORE DELETE ON operation_log FOR EACH ROW
BEGIN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'operation_log is insert only';
END;
