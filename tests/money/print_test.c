/* Slips of real payments, and the queue of the printer: nothing is lost, nothing is printed twice unmarked. */
#include "core/kit.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "core/action.h"
#include "money/back.h"
#include "money/pay.h"
#include "money/print.h"
#include "money/shift.h"
#include "support/paper.h"

static struct desk *ann, *fin;
static char device[512];

static void no_printer(void)
{
    must(config_set(config, CONFIG_PRINTER, "", &err));
}

static void printer_at(const char *path)
{
    char target[600];
    fit_printf(target, "file:%s", path);
    must(config_set(config, CONFIG_PRINTER, target, &err));
}

static void switch_on(void)
{
    int fd = open(device, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
}

static int start(void **state)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    action_register(print_actions);
    action_register(shift_actions);
    kit_start(state);
    fit_printf(device, "%s/lp0", fixture.folder);
    ann = kit_desk("ann");
    fin = kit_desk("fin");
    return 0;
}

static int stop(void **state)
{
    desk_close(&ann);
    desk_close(&fin);
    return kit_stop(state);
}

/* Each test has a terminal and a paper of its own. */
static int fresh(void **state)
{
    static int next;
    (void)state;
    fit_printf(ann->terminal, "desk%d", ++next);
    cut_copy(fin->terminal, sizeof fin->terminal, ann->terminal);
    printer_at(device);
    switch_on();
    return 0;
}

static void order_of(const char *price, char number[NUMBER_BYTES])
{
    static int next;
    char phone[16];
    fit_printf(phone, "1370000%04d", next++);
    cut_copy(number, NUMBER_BYTES, kit_order(ann, kit_slot(5, price), phone));
}

static void sell(const char *price, int64_t tendered_fen, char number[NUMBER_BYTES], struct paid *paid)
{
    order_of(price, number);
    must(pay_take(ann, NULL, number, &(struct payment){.tendered_fen = tendered_fen}, paid, &err));
}

/* The slip as text; free() it. */
static char *slip(struct desk *desk, enum print_kind kind, const char *number)
{
    struct document *document;
    must(print_document(desk, kind, number, 0, &document, &err));
    char *text = document_as_text(document, 48);
    document_free(&document);
    return text;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void a_receipt_says_what_was_paid_for_what(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    sell("80.00", 10000, number, &paid);
    char *text = slip(ann, PRINT_RECEIPT, paid.payment_no);
    assert_has(text, paid.payment_no);
    assert_has(text, number);
    assert_has(text, fixture_text(online, "SELECT CONCAT(CURDATE() + INTERVAL 1 DAY, ' ')"));
    assert_has(text, " 10:00-11:00\n");
    assert_has(text, "¥80.00");
    assert_has(text, "100.00\n");
    assert_has(text, "20.00\n");
    assert_has(text, "ann\n");
    assert_has(text, ann->terminal);
    /* However it is named. */
    const char *names[] = {
        fixture_text(online, "SELECT order_no FROM payment_record WHERE payment_no = '%s'", paid.payment_no), number,
        number + strlen(number) - 6};
    for (size_t i = 0; i < COUNT(names); i++) {
        char *same = slip(ann, PRINT_RECEIPT, names[i]);
        assert_string_equal(same, text);
        free(same);
    }
    char id[32];
    fit_printf(
        id, "#%lld",
        (long long)fixture_int(online, "SELECT id FROM payment_record WHERE payment_no = '%s'", paid.payment_no));
    char *same = slip(ann, PRINT_RECEIPT, id);
    assert_string_equal(same, text);
    free(same);
    free(text);
    /* What went back stands on a later one. */
    fixture_sql(online, "UPDATE payment_record SET refunded_amount = 30 WHERE payment_no = '%s'", paid.payment_no);
    text = slip(ann, PRINT_RECEIPT, paid.payment_no);
    assert_has(text, "30.00\n");
    free(text);
}

static void what_was_not_paid_has_no_receipt(void **state)
{
    (void)state;
    struct document *document;
    char number[NUMBER_BYTES];
    order_of("60.00", number);
    must_give(FD_NOT_FOUND, print_document(ann, PRINT_RECEIPT, number, 0, &document, &err));
    assert_null(document);
    must_give(FD_NOT_FOUND, print_document(ann, PRINT_RECEIPT, "", 0, &document, &err));
    must_give(FD_NOT_FOUND, print_document(ann, PRINT_RECEIPT, "#999999", 0, &document, &err));
    must_give(FD_UNPAID, print_document(ann, PRINT_TICKET, number, 0, &document, &err));
    must_give(FD_NOT_FOUND, print_document(ann, PRINT_REFUND, number, 0, &document, &err));
    must_give(FD_NOT_FOUND, print_document(ann, PRINT_CODE, number, 0, &document, &err));
}

/* A code as the channel gave it. */
static int64_t code_of(const char *order_no, const char *minutes)
{
    static int next;
    next++;
    fixture_sql(online,
                "INSERT INTO payment_record (order_no, payment_no, receipt_no, channel, amount, status, code, "
                "code_until, operator, terminal, created_at) VALUES ('PYC%d', 'RCC%d', 'RCC%d', 'WECHAT', 60, "
                "'CREATED', 'weixin://wxpay/bizpayurl?pr=JyC91EIz%d', NOW() + INTERVAL %s MINUTE, 'ann', 'desk1', "
                "NOW())",
                next, next, next, next, minutes);
    int64_t id = fixture_int(online, "SELECT MAX(id) FROM payment_record");
    fixture_sql(online, "INSERT INTO pay_allocation (payment_id, order_no, amount) VALUES (%lld, '%s', 60)",
                (long long)id, order_no);
    return id;
}

static void print(struct desk *desk, enum print_kind kind, const char *number)
{
    int64_t id, done, left;
    must(print_queue(desk, kind, number, false, &id, &err));
    assert_true(id > 0);
    must(print_flush(desk, 10, &done, &left, &err));
    assert_int_equal(left, 0);
}

static void read_paper(struct paper *paper)
{
    struct buf bytes = {0};
    char piece[4096];
    FILE *file = fopen(device, "rb");
    assert_non_null(file);
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
        buf_add_bytes(&bytes, piece, got);
    fclose(file);
    paper_read(paper, 576, bytes.text ? bytes.text : "", bytes.bytes);
    buf_release(&bytes);
    assert_int_equal(paper->unknown, 0);
}

static void assert_code_printed(const char *name, const char *payload)
{
    struct paper paper;
    read_paper(&paper);
    char *path = xprintf("tests/money/%s.pgm", name);
    picture_write(&paper.picture, path);
    char *read = picture_scan(path);
    assert_string_equal(read, payload);
    free(read);
    free(path);
    paper_release(&paper);
}

static void a_payment_code_is_printed_while_it_can_be_paid(void **state)
{
    (void)state;
    struct document *document;
    char number[NUMBER_BYTES];
    order_of("60.00", number);
    int64_t id = code_of(number, "10");
    char *text = slip(ann, PRINT_CODE, number);
    assert_has(text, "¥60.00");
    assert_has(text, "Valid until ");
    assert_has(text, " 10:00-11:00\n");
    free(text);
    print(ann, PRINT_CODE, number);
    assert_code_printed("code", fixture_text(online, "SELECT code FROM payment_record WHERE id = %lld", (long long)id));
    /* One that waits is no receipt; one whose time is over is no code. */
    must_give(FD_UNPAID, print_document(ann, PRINT_RECEIPT, number, 0, &document, &err));
    fixture_sql(online, "UPDATE payment_record SET code_until = NOW() - INTERVAL 1 MINUTE WHERE id = %lld",
                (long long)id);
    must_give(FD_REFUSED, print_document(ann, PRINT_CODE, number, 0, &document, &err));
    /* The channel's number finds a paid one too. */
    fixture_sql(online, "UPDATE payment_record SET status = 'SUCCESS', payment_no = '42000001' WHERE id = %lld",
                (long long)id);
    text = slip(ann, PRINT_RECEIPT, "42000001");
    assert_has(text, "42000001");
    assert_has(text, "RCC");
    free(text);
}

static void a_ticket_has_the_orders_number_as_its_code(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    sell("40.00", 0, number, &paid);
    print(ann, PRINT_TICKET, number);
    assert_code_printed("ticket", number);
    struct paper paper;
    read_paper(&paper);
    /* Place and time are large. */
    assert_true(paper.large >= 2);
    paper_release(&paper);
}

static void a_refund_slip_says_how_the_money_goes_back(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    sell("70.00", 0, number, &paid);
    fixture_sql(online,
                "INSERT INTO refund_record (refund_no, payment_id, order_no, amount, quantity, kind, channel, reason, "
                "status, operator, terminal) SELECT 'RFPRINT1', id, '%s', 30, 1, 'QUANTITY', 'CASH', 'rain', "
                "'SUCCESS', 'ann', 'desk1' FROM payment_record WHERE payment_no = '%s'",
                number, paid.payment_no);
    char *text = slip(ann, PRINT_REFUND, "rfprint1"), *same = slip(ann, PRINT_REFUND, number);
    assert_string_equal(text, same);
    assert_has(text, "¥30.00");
    assert_has(text, paid.payment_no);
    assert_has(text, "rain\n");
    assert_has(text, "Paid back\n");
    assert_has(text, "signature");
    free(text);
    free(same);
}

static void a_shift_is_printed_with_its_sums_once_it_was_counted(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    struct arena arena = {0};
    struct shift_sum *sum;
    int64_t id;
    must(shift_open(ann, NULL, 50000, &id, &err));
    sell("75.00", 10000, number, &paid);
    char *text = slip(ann, PRINT_SHIFT, "");
    assert_has(text, "counted");
    assert_null(strstr(text, "575.00"));
    free(text);
    must(shift_close(ann, NULL, &(struct shift_count){57500, -1, NULL, NULL}, &arena, &sum, &err));
    char shift[32];
    fit_printf(shift, "%lld", (long long)id);
    text = slip(ann, PRINT_SHIFT, shift);
    assert_has(text, "¥575.00");
    assert_has(text, "¥0.00");
    assert_has(text, "Handed over by:");
    free(text);
    struct document *document;
    must_give(FD_BAD_INPUT, print_document(ann, PRINT_SHIFT, "abc", 0, &document, &err));
    must_give(FD_NOT_FOUND, print_document(ann, PRINT_SHIFT, "999999", 0, &document, &err));
    arena_release(&arena);
}

static void without_a_printer_nothing_is_queued_by_itself(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    int64_t id = 1;
    sell("10.00", 0, number, &paid);
    no_printer();
    must(print_queue(ann, PRINT_RECEIPT, paid.payment_no, true, &id, &err));
    assert_int_equal(id, 0);
    must_give(FD_CONFIG, print_queue(ann, PRINT_RECEIPT, paid.payment_no, false, &id, &err));
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM print_job WHERE terminal = '%s'", ann->terminal), 0);
}

static int64_t jobs(const char *status)
{
    return fixture_int(online, "SELECT COUNT(*) FROM print_job WHERE terminal = '%s' AND status = '%s'", ann->terminal,
                       status);
}

static void what_an_absent_printer_misses_comes_out_later_in_order(void **state)
{
    (void)state;
    char first[NUMBER_BYTES], second[NUMBER_BYTES], number[NUMBER_BYTES];
    struct paid paid;
    int64_t id, done, left;
    sell("10.00", 0, number, &paid);
    cut_copy(first, sizeof first, paid.payment_no);
    sell("20.00", 0, number, &paid);
    cut_copy(second, sizeof second, paid.payment_no);
    unlink(device);
    must(print_queue(ann, PRINT_RECEIPT, first, true, &id, &err));
    must_give(FD_IO, print_flush(ann, 5, &done, &left, &err));
    assert_int_equal(done, 0);
    assert_int_equal(left, 1);
    assert_int_equal(jobs("WAITING"), 1);
    assert_string_equal(fixture_text(online, "SELECT trouble FROM print_job WHERE id = %lld", (long long)id),
                        err.message);
    /* It is not tried at every turn, whatever is queued by itself behind it. */
    switch_on();
    must(print_queue(ann, PRINT_RECEIPT, second, true, NULL, &err));
    must(print_flush(ann, 5, &done, &left, &err));
    assert_int_equal(done, 0);
    assert_int_equal(left, 2);
    assert_int_equal(fixture_int(online, "SELECT tries FROM print_job WHERE id = %lld", (long long)id), 1);
    /* But at once where a person asks. */
    must(print_retry(ann, &err));
    must(print_flush(ann, 5, &done, &left, &err));
    assert_int_equal(done, 2);
    assert_int_equal(left, 0);
    struct paper paper;
    read_paper(&paper);
    const char *text = buf_text(&paper.text);
    assert_has(text, first);
    assert_true(strstr(text, first) < strstr(text, second));
    /* None of it was on paper before. */
    assert_null(strstr(text, "COPY"));
    paper_release(&paper);
}

static void the_second_print_is_a_copy_and_nothing_prints_itself_twice(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    int64_t first, again;
    sell("10.00", 0, number, &paid);
    must(print_queue(ann, PRINT_RECEIPT, paid.payment_no, true, &first, &err));
    must(print_queue(ann, PRINT_RECEIPT, paid.payment_no, true, &again, &err));
    assert_int_equal(first, again);
    must(print_queue(ann, PRINT_RECEIPT, number, false, &again, &err));
    assert_int_not_equal(first, again);
    print(ann, PRINT_RECEIPT, paid.payment_no);
    assert_int_equal(jobs("DONE"), 3);
    struct paper paper;
    read_paper(&paper);
    const char *text = buf_text(&paper.text), *mark = strstr(text, "*** COPY 1 ***");
    assert_non_null(mark);
    assert_true(strstr(text, paid.payment_no) < mark);
    assert_has(mark, "*** COPY 2 ***");
    paper_release(&paper);
}

static void a_job_can_be_given_up(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    int64_t id, done, left;
    sell("10.00", 0, number, &paid);
    must(print_queue(ann, PRINT_RECEIPT, paid.payment_no, true, &id, &err));
    must(print_drop(ann, NULL, id, "torn", &err));
    must_give(FD_REFUSED, print_drop(ann, NULL, id, "torn", &err));
    must_give(FD_NOT_FOUND, print_drop(ann, NULL, 999999, "torn", &err));
    assert_int_equal(fixture_int(online,
                                 "SELECT COUNT(*) FROM operation_log WHERE entity = 'print' AND event = 'drop' "
                                 "AND entity_no = '%s' AND reason = 'torn'",
                                 paid.payment_no),
                     1);
    must(print_flush(ann, 5, &done, &left, &err));
    assert_int_equal(done + left, 0);
    /* What was given up was not the first print. */
    must(print_queue(ann, PRINT_RECEIPT, paid.payment_no, false, &id, &err));
    assert_int_equal(fixture_int(online, "SELECT copy FROM print_job WHERE id = %lld", (long long)id), 0);
    must(print_flush(ann, 5, &done, &left, &err));
    must_give(FD_REFUSED, print_drop(ann, NULL, id, "late", &err));
}

static void what_cannot_be_read_stops_nobody(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    int64_t id, done, left;
    sell("10.00", 0, number, &paid);
    must(print_queue(ann, PRINT_RECEIPT, paid.payment_no, true, &id, &err));
    fixture_sql(online, "UPDATE print_job SET document = 'nonsense' WHERE id = %lld", (long long)id);
    must(print_queue(ann, PRINT_TICKET, number, true, NULL, &err));
    must(print_flush(ann, 5, &done, &left, &err));
    assert_int_equal(jobs("DROPPED"), 1);
    assert_int_equal(jobs("DONE"), 1);
}

/* A process that dies in the middle of the paper. */
static void an_interrupted_print_comes_again_marked_as_a_copy(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], full[512], fill[4096] = "";
    struct paid paid;
    int64_t id, done, left;
    int status;
    sell("10.00", 0, number, &paid);
    fit_printf(full, "%s/full", fixture.folder);
    unlink(full);
    assert_int_equal(mkfifo(full, 0600), 0);
    int reader = open(full, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    int writer = open(full, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    while (write(writer, fill, sizeof fill) > 0)
        continue;
    printer_at(full);
    must(print_queue(ann, PRINT_RECEIPT, paid.payment_no, true, &id, &err));
    pid_t child = fork();
    if (child == 0) {
        fixture_quiet();
        struct desk *desk = kit_desk("ann");
        cut_copy(desk->terminal, sizeof desk->terminal, ann->terminal);
        print_flush(desk, 1, &done, &left, &err);
        _exit(0);
    }
    for (int i = 0; i < 500 && jobs("SENDING") == 0; i++)
        sleep_ms(10);
    assert_int_equal(kill(child, SIGKILL), 0);
    waitpid(child, &status, 0);
    assert_int_equal(jobs("SENDING"), 1);
    close(reader);
    close(writer);
    printer_at(device);
    /* Another process may still be at it. */
    must(print_flush(ann, 5, &done, &left, &err));
    assert_int_equal(done, 0);
    assert_int_equal(left, 1);
    must_give(FD_REFUSED, print_drop(ann, NULL, id, "stuck", &err));
    fixture_sql(online, "UPDATE print_job SET next_at = NOW() - INTERVAL 1 SECOND WHERE id = %lld", (long long)id);
    must(print_flush(ann, 5, &done, &left, &err));
    assert_int_equal(done, 1);
    struct paper paper;
    read_paper(&paper);
    assert_has(buf_text(&paper.text), "*** COPY 1 ***");
    paper_release(&paper);
    /* Given up in the middle of it, nobody knows what came out: the next one is no original. */
    sell("10.00", 0, number, &paid);
    must(print_queue(ann, PRINT_RECEIPT, paid.payment_no, true, &id, &err));
    fixture_sql(online,
                "UPDATE print_job SET status = 'SENDING', tries = 1, next_at = NOW() - INTERVAL 1 SECOND WHERE id = "
                "%lld",
                (long long)id);
    must(print_drop(ann, NULL, id, "stuck", &err));
    must(print_queue(ann, PRINT_RECEIPT, paid.payment_no, false, &id, &err));
    assert_int_equal(fixture_int(online, "SELECT copy FROM print_job WHERE id = %lld", (long long)id), 1);
    must(print_flush(ann, 5, &done, &left, &err));
}

static void flush_in_thread(struct desk *desk, int index, void *arg)
{
    struct fd_error local;
    int64_t done, left = 1;
    (void)index;
    cut_copy(desk->terminal, sizeof desk->terminal, arg);
    for (int i = 0; i < 200 && left > 0; i++)
        print_flush(desk, 3, &done, &left, &local);
}

static void several_processes_print_each_job_once(void **state)
{
    (void)state;
    enum { JOBS = 12 };
    char number[NUMBER_BYTES];
    struct paid paid;
    for (int i = 0; i < JOBS; i++) {
        sell("10.00", 0, number, &paid);
        must(print_queue(ann, PRINT_RECEIPT, paid.payment_no, true, NULL, &err));
    }
    kit_threads(4, "ann", flush_in_thread, ann->terminal);
    assert_int_equal(jobs("DONE"), JOBS);
    assert_int_equal(fixture_int(online, "SELECT SUM(tries) FROM print_job WHERE terminal = '%s'", ann->terminal),
                     JOBS);
    struct paper paper;
    read_paper(&paper);
    int receipts = 0;
    for (const char *at = buf_text(&paper.text); (at = strstr(at, "Thank you")) != NULL; at++)
        receipts++;
    assert_int_equal(receipts, JOBS);
    paper_release(&paper);
}

struct once {
    const char *number;
    enum print_kind kind;
    bool unless_asked;
};

static void queue_in_thread(struct desk *desk, int index, void *arg)
{
    const struct once *once = arg;
    struct fd_error local = {0};
    (void)index;
    cut_copy(desk->terminal, sizeof desk->terminal, ann->terminal);
    if (print_queue(desk, once->kind, once->number, once->unless_asked, NULL, &local) != FD_OK)
        fail_msg("%s %s", local.message, local.detail);
}

/* Asked for at eight desks in the same instant, whatever it is. */
static void one_original_comes_of_many_at_once(void **state)
{
    (void)state;
    enum { AT_ONCE = 8 };
    char number[NUMBER_BYTES], shift[32], refund[NUMBER_BYTES];
    struct paid paid;
    struct backed backed;
    struct arena arena = {0};
    struct shift_sum *sum;
    const struct back part = {.kind = BACK_AMOUNT, .amount_fen = 100};
    sell("10.00", 0, number, &paid);
    must(back_give(ann, NULL, number, &part, "rain", &backed, &err));
    cut_copy(refund, sizeof refund, backed.refund_no);
    must(shift_close(ann, NULL, &(struct shift_count){900, 0, NULL, NULL}, &arena, &sum, &err));
    fit_printf(shift, "%lld", (long long)sum->id);
    const struct once asked[] = {{paid.payment_no, PRINT_RECEIPT, false},
                                 {number, PRINT_TICKET, false},
                                 {refund, PRINT_REFUND, false},
                                 {shift, PRINT_SHIFT, false}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct once once = asked[i];
        kit_threads(AT_ONCE, "ann", queue_in_thread, &once);
        assert_string_equal(fixture_text(online,
                                         "SELECT CONCAT(COUNT(*), '/', SUM(copy = 0)) FROM print_job WHERE "
                                         "terminal = '%s' AND kind = '%s'",
                                         ann->terminal, print_kind_name(once.kind)),
                            "8/1");
    }
    /* What prints by itself comes once. */
    sell("10.00", 0, number, &paid);
    struct once itself = {paid.payment_no, PRINT_RECEIPT, true};
    kit_threads(AT_ONCE, "ann", queue_in_thread, &itself);
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM print_job WHERE subject = '%s'", paid.payment_no), 1);
    fixture_sql(online, "UPDATE print_job SET status = 'DONE' WHERE terminal = '%s'", ann->terminal);
    arena_release(&arena);
}

/* How an open shift stands is another slip than the report of its close. */
static void the_close_is_printed_whatever_was_printed_before(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct shift_sum *sum;
    char shift[32];
    int64_t id, done, left;
    must(shift_open(ann, NULL, 0, &id, &err));
    must(print_queue(ann, PRINT_SHIFT, "", false, NULL, &err));
    must(shift_close(ann, NULL, &(struct shift_count){0, 0, NULL, NULL}, &arena, &sum, &err));
    fit_printf(shift, "%lld", (long long)id);
    must(print_queue(ann, PRINT_SHIFT, shift, true, NULL, &err));
    must(print_flush(ann, 5, &done, &left, &err));
    assert_int_equal(done, 2);
    struct paper paper;
    read_paper(&paper);
    assert_null(strstr(buf_text(&paper.text), "COPY"));
    paper_release(&paper);
    arena_release(&arena);
}

static void lists_show_what_waits_and_what_was_done(void **state)
{
    (void)state;
    char number[NUMBER_BYTES];
    struct paid paid;
    struct arena arena = {0};
    struct print_row *rows;
    size_t count;
    sell("10.00", 0, number, &paid);
    must(print_queue(ann, PRINT_RECEIPT, paid.payment_no, true, NULL, &err));
    must(print_list(ann, false, &arena, &rows, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(rows[0].kind, "receipt");
    assert_string_equal(rows[0].subject, paid.payment_no);
    assert_string_equal(rows[0].status, "WAITING");
    must(print_list(ann, true, &arena, &rows, &count, &err));
    assert_true(count > 1);
    assert_string_equal(rows[0].subject, paid.payment_no);
    arena_release(&arena);
}

/* As the command line runs it. */
static enum fd_code command(const char *noun, const char *verb, const char *words, const char *key, char **text)
{
    char line[256], *word[16], *place = NULL;
    int count = 0;
    cut_copy(line, sizeof line, words);
    for (char *at = strtok_r(line, " ", &place); at; at = strtok_r(NULL, " ", &place))
        word[count++] = at;
    struct call call = {.desk = ann, .config = config, .action = action_find(noun, verb), .key = key};
    enum fd_code code = call_parse(&call, count, word, NULL, &err);
    if (code == FD_OK)
        code = call_run(&call, &err);
    if (code == FD_OK && print_after(&call))
        print_now(&call);
    *text = call_print(&call);
    call_release(&call);
    return code;
}

static void a_payment_prints_its_receipt_once(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], *text;
    order_of("30.00", number);
    must(command("pay", "cash", number, "print-key-1", &text));
    assert_has(text, "Printed.");
    free(text);
    assert_int_equal(jobs("DONE"), 1);
    /* The same key again: the same answer, no second receipt. */
    must(command("pay", "cash", number, "print-key-1", &text));
    free(text);
    assert_int_equal(jobs("DONE"), 1);
    /* Trouble with paper is no trouble with money. */
    unlink(device);
    order_of("30.00", number);
    must(command("pay", "cash", number, NULL, &text));
    assert_has(text, "Not printed yet");
    assert_has(text, "1 slip waits");
    free(text);
    switch_on();
    must(command("printer", "flush", "", NULL, &text));
    assert_has(text, "Printed.");
    free(text);
    assert_int_equal(jobs("DONE"), 2);
    no_printer();
    order_of("30.00", number);
    must(command("pay", "cash", number, NULL, &text));
    assert_null(strstr(text, "rint"));
    free(text);
}

static void slips_are_printed_shown_and_written_by_command(void **state)
{
    (void)state;
    char number[NUMBER_BYTES], words[700], *text;
    struct paid paid;
    sell("30.00", 0, number, &paid);
    must(command("print", "receipt", number, "print-key-2", &text));
    free(text);
    must(command("print", "receipt", number, "print-key-2", &text));
    free(text);
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM print_job WHERE terminal = '%s'", ann->terminal), 1);
    fit_printf(words, "%s --text", number);
    must(command("print", "receipt", words, NULL, &text));
    assert_has(text, paid.payment_no);
    free(text);
    fit_printf(words, "%s --file %s/ticket.png", number, fixture.folder);
    must(command("print", "ticket", words, NULL, &text));
    free(text);
    fit_printf(words, "%s/ticket.png", fixture.folder);
    char *read = picture_scan(words);
    assert_string_equal(read, number);
    free(read);
    must(command("printer", "test", "", NULL, &text));
    free(text);
    assert_code_printed("test", "frontdesk printer test");
    unlink(device);
    must_give(FD_IO, command("printer", "test", "", NULL, &text));
    free(text);
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM print_job WHERE terminal = '%s'", ann->terminal), 1);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
#define TEST(name) cmocka_unit_test_setup(name, fresh)
    const struct CMUnitTest tests[] = {
        TEST(a_receipt_says_what_was_paid_for_what),
        TEST(what_was_not_paid_has_no_receipt),
        TEST(a_payment_code_is_printed_while_it_can_be_paid),
        TEST(a_ticket_has_the_orders_number_as_its_code),
        TEST(a_refund_slip_says_how_the_money_goes_back),
        TEST(a_shift_is_printed_with_its_sums_once_it_was_counted),
        TEST(without_a_printer_nothing_is_queued_by_itself),
        TEST(what_an_absent_printer_misses_comes_out_later_in_order),
        TEST(the_second_print_is_a_copy_and_nothing_prints_itself_twice),
        TEST(a_job_can_be_given_up),
        TEST(what_cannot_be_read_stops_nobody),
        TEST(an_interrupted_print_comes_again_marked_as_a_copy),
        TEST(several_processes_print_each_job_once),
        TEST(one_original_comes_of_many_at_once),
        TEST(the_close_is_printed_whatever_was_printed_before),
        TEST(lists_show_what_waits_and_what_was_done),
        TEST(a_payment_prints_its_receipt_once),
        TEST(slips_are_printed_shown_and_written_by_command),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
