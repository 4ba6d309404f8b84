-- @class H
-- @title An order's money: what was paid and given back is what it costs, and its counters say so
-- What is missing is rule 25; here: too much, a refund that is not whole, counters that are off. Money that came too late
-- or twice is a case; it counts as the order's only where it was moved to it. A refund that failed for good and is owed
-- still is not the order's money either.
WITH paid AS (
    SELECT a.order_no, a.amount, p.id AS payment_id, p.operator
    FROM pay_allocation a JOIN payment_record p ON p.id = a.payment_id
    WHERE p.status = 'SUCCESS'
    UNION ALL
    SELECT p.order_no, p.amount, p.id, p.operator
    FROM payment_record p
    WHERE p.status = 'SUCCESS' AND NOT EXISTS (SELECT 1 FROM pay_allocation a WHERE a.payment_id = p.id)
), money AS (
    SELECT order_no, SUM(amount) AS amount, SUM(CASE WHEN operator IS NULL THEN 0 ELSE amount END) AS desk
    FROM paid GROUP BY order_no
), back AS (
    SELECT r.order_no, SUM(r.amount) AS amount, SUM(CASE WHEN r.kind = 'AMOUNT' THEN r.amount ELSE 0 END) AS by_amount,
           SUM(CASE WHEN p.operator IS NULL OR r.kind = 'AMOUNT' THEN 0 ELSE r.amount END) AS desk
    FROM refund_record r JOIN payment_record p ON p.id = r.payment_id
    WHERE r.status <> 'FAILED' OR r.owed = 1 GROUP BY r.order_no
), due AS (
    SELECT order_no, SUM(amount) AS amount FROM order_due WHERE settled_at IS NULL GROUP BY order_no
), code AS (
    SELECT a.order_no, COUNT(*) AS live
    FROM pay_allocation a JOIN payment_record p ON p.id = a.payment_id
    WHERE p.status = 'CREATED' AND p.operator IS NOT NULL GROUP BY a.order_no
), surplus AS (
    SELECT c.order_no, SUM(c.amount) AS amount, SUM(CASE WHEN p.operator IS NULL THEN 0 ELSE c.amount END) AS desk
    FROM money_case c JOIN payment_record p ON p.id = c.payment_id
    WHERE c.kind IN ('LATE', 'SURPLUS') AND NOT (c.status = 'CLOSED' AND c.outcome = 'moved') GROUP BY c.order_no
), sums AS (
    SELECT o.id, o.order_no, o.status, o.total_amount, o.paid_amount, o.live_codes,
           COALESCE(m.amount, 0) AS received, COALESCE(m.desk, 0) AS desk, COALESCE(b.amount, 0) AS given_back,
           COALESCE(b.by_amount, 0) AS by_amount, COALESCE(b.desk, 0) AS desk_back, COALESCE(d.amount, 0) AS due,
           COALESCE(c.live, 0) AS live, COALESCE(s.amount, 0) AS surplus, COALESCE(s.desk, 0) AS desk_surplus
    FROM reserve_order o
    LEFT JOIN money m ON m.order_no = o.order_no
    LEFT JOIN back b ON b.order_no = o.order_no
    LEFT JOIN due d ON d.order_no = o.order_no
    LEFT JOIN code c ON c.order_no = o.order_no
    LEFT JOIN surplus s ON s.order_no = o.order_no
)
SELECT CONCAT('order ', order_no),
       CONCAT(status, ', amount ', total_amount, ', received ', received, ', given back ', given_back, ', due ', due, ', in cases ', surplus,
              ', paid_amount ', paid_amount, ', live_codes ', live_codes)
FROM sums
WHERE (status IN ('PAID', 'COMPLETED', 'NO_SHOW') AND received - given_back + by_amount > total_amount - due + surplus)
   OR (status = 'REFUNDED' AND (given_back < received - surplus OR given_back > received))
   OR paid_amount <> desk - desk_back - desk_surplus
   OR live_codes <> live
ORDER BY id
