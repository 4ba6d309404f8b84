/* The migration runner with small lists of its own, and the program's real one. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "db/migrate_internal.h"
#include "support/fixture.h"

static struct fixture fixture;
static struct db *db;
static struct fd_error err;

static const char first[] =
    "-- @expect shop\n"
    "CREATE TABLE shop (\n"
    "    id BIGINT NOT NULL AUTO_INCREMENT,\n"
    "    name VARCHAR(64) NOT NULL,\n"
    "    kind TINYINT NOT NULL DEFAULT 1,\n"
    "    price DECIMAL(10,2) NULL,\n"
    "    left_count INT UNSIGNED NOT NULL DEFAULT 0,\n"
    "    made DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,\n"
    "    PRIMARY KEY (id)\n"
    ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;\n";
static const char second[] =
    "-- @unless column shop.version\n"
    "ALTER TABLE shop ADD COLUMN version INT NOT NULL DEFAULT 0;\n"
    "-- @unless index shop.idx_name\n"
    "ALTER TABLE shop ADD KEY idx_name (name);\n"
    "-- @unless table trail\n"
    "CREATE TABLE trail (id INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(64))"
    " DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;\n"
    "INSERT INTO trail (what) SELECT 'seed' FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM trail);\n"
    "-- @unless trigger shop_changed\n"
    "CREATE TRIGGER shop_changed AFTER UPDATE ON shop FOR EACH ROW\n"
    "BEGIN\n"
    "    IF @fd_session IS NULL THEN\n"
    "        INSERT INTO trail (what) VALUES (CONCAT('changed ', NEW.id));\n"
    "    END IF;\n"
    "END;\n"
    "-- @mysql\nCREATE TABLE only_mysql (id INT);\n"
    "-- @mariadb\nCREATE TABLE only_mariadb (id INT);\n";

static const struct migration list[] = {{1, "0001_first", first}, {2, "0002_second", second}, {0, NULL, NULL}};
static const struct migration only_first[] = {{1, "0001_first", first}, {0, NULL, NULL}};

static struct buf said;

static void hear(void *arg, const char *line)
{
    (void)arg;
    buf_printf(&said, "%s\n", line);
}

static enum fd_code run(const char *database, const struct migration *migrations_list)
{
    const struct migrate_job job = {.list = migrations_list, .say = hear};
    buf_clear(&said);
    return migrate_run_list(db, database, &job, &err);
}

static void empty_database_gets_everything_once(void **state)
{
    int version = 7;
    (void)state;
    must(run("m_empty", list));
    assert_string_equal(buf_text(&said), "applying 0001_first\napplying 0002_second\n");
    assert_string_equal(fixture_text(db, "SELECT DATABASE()"), "m_empty");
    must(migrate_version(db, &version, &err));
    assert_int_equal(version, 2);
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM trail"), 1);
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '%s'",
                                 db_is_mariadb(db) ? "only_mariadb" : "only_mysql"), 1);
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '%s'",
                                 db_is_mariadb(db) ? "only_mysql" : "only_mariadb"), 0);
    must(run("m_empty", list));
    assert_string_equal(buf_text(&said), "");
    fixture_sql(db, "INSERT INTO shop (name) VALUES ('x')");
    fixture_sql(db, "UPDATE shop SET name = 'y'");
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM trail"), 1); /* our session is silent */
    struct db *online;
    struct db_target target = server_target(&fixture.server, "m_empty");
    target.plain_session = true;
    must(db_open(&target, &online, &err));
    fixture_sql(online, "UPDATE shop SET name = 'z'");
    assert_int_equal(fixture_int(online, "SELECT COUNT(*) FROM trail WHERE what LIKE 'changed%%'"), 1);
    db_close(&online);
}

static void version_is_known_before_and_after(void **state)
{
    int version = 7;
    (void)state;
    fixture_sql(db, "CREATE DATABASE m_version");
    fixture_sql(db, "USE m_version");
    must(migrate_version(db, &version, &err));
    assert_int_equal(version, 0);
    fixture_sql(db, "CREATE TABLE something (id INT)");
    must(migrate_version(db, &version, &err));
    assert_int_equal(version, -1);
    must_give(FD_SCHEMA, migrate_check(db, &err));
    must(run("m_version", only_first));
    must(migrate_version(db, &version, &err));
    assert_int_equal(version, 1);
}

static void newer_schema_is_refused(void **state)
{
    (void)state;
    must(run("m_newer", list));
    must_give(FD_SCHEMA, run("m_newer", only_first));
    assert_non_null(strstr(err.message, "2"));
    fixture_sql(db, "INSERT INTO schema_version VALUES (999, '0999_future', NOW(), 'x')");
    must_give(FD_SCHEMA, migrate_check(db, &err));
}

static void equal_table_of_the_online_system_is_kept_with_its_rows(void **state)
{
    (void)state;
    fixture_sql(db, "CREATE DATABASE m_same");
    /* Another collation, display widths, order, columns of its own that need no value. */
    fixture_sql(db, "CREATE TABLE m_same.shop (id BIGINT(20) NOT NULL AUTO_INCREMENT PRIMARY KEY, extra JSON NULL, tag INT NOT NULL DEFAULT 3,"
                    " kind TINYINT(1) NOT NULL DEFAULT 1, name VARCHAR(64) NOT NULL, price DECIMAL(10,2),"
                    " left_count INT(10) UNSIGNED NOT NULL DEFAULT 0, made DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP)"
                    " CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci");
    fixture_sql(db, "INSERT INTO m_same.shop (name) VALUES ('kept')");
    must(run("m_same", list));
    assert_string_equal(fixture_text(db, "SELECT name FROM shop"), "kept");
    /* What is made takes the collation of what is there, or the two could not be compared. */
    fixture_sql(db, "INSERT INTO trail (what) VALUES ('kept')");
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM shop JOIN trail ON what = name"), 1);
    assert_int_equal(fixture_int(db, "SELECT version FROM shop"), 0);
}

static void every_column_that_differs_is_named_and_nothing_changed(void **state)
{
    (void)state;
    fixture_sql(db, "CREATE DATABASE m_differs");
    fixture_sql(db, "CREATE TABLE m_differs.shop (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(32) NOT NULL,"
                    " kind TINYINT NULL DEFAULT 1, left_count SMALLINT UNSIGNED NOT NULL DEFAULT 0, made DATE NOT NULL,"
                    " needed INT NOT NULL)");
    must_give(FD_SCHEMA, run("m_differs", list));
    static const char *const named[] = {"shop.id is int", "shop.name is varchar(32) instead of varchar(64)", "shop.kind may be NULL",
                                        "shop.price is missing", "shop.left_count is smallint unsigned instead of int unsigned",
                                        "shop.made is date instead of datetime", "shop.needed is unknown and has no default"};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (!strstr(buf_text(&said), named[i]) ||
            (!strstr(err.message, named[i]) && !strstr(named[i], "may be NULL")))
            fail_msg("not named: %s in %s", named[i], buf_text(&said));
    int version;
    must(migrate_version(db, &version, &err));
    assert_int_equal(version, 0);
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = 'm_differs' AND table_name = 'shop'"), 6);
}

static void what_can_be_borne_is_named_and_the_rest_made(void **state)
{
    (void)state;
    fixture_sql(db, "CREATE DATABASE m_borne CHARACTER SET utf8mb4");
    fixture_sql(db, "CREATE TABLE m_borne.shop (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(64) NULL,"
                    " kind TINYINT DEFAULT 1, price DECIMAL(10,2), left_count INT DEFAULT 0, made DATETIME, KEY theirs (name))");
    must(run("m_borne", list));
    assert_string_equal(fixture_text(db, "SELECT GROUP_CONCAT(index_name ORDER BY 1) FROM information_schema.statistics"
                                         " WHERE table_schema = 'm_borne' AND table_name = 'shop'"),
                        "idx_name,PRIMARY");
    static const char *const named[] = {"shop.name may be NULL", "shop.kind may be NULL",
                                        "shop.left_count is int instead of int unsigned", "shop.left_count may be NULL",
                                        "shop.made may be NULL"};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (!strstr(buf_text(&said), named[i]))
            fail_msg("not named: %s in %s", named[i], buf_text(&said));
}

static void wider_columns_and_missing_defaults_are_borne_and_named(void **state)
{
    (void)state;
    fixture_sql(db, "CREATE DATABASE m_wide CHARACTER SET utf8mb4");
    fixture_sql(db, "CREATE TABLE m_wide.shop (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(128) NOT NULL,"
                    " kind SMALLINT NOT NULL, price DECIMAL(12,2), left_count BIGINT UNSIGNED NOT NULL, made TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),"
                    " theirs INT NULL)");
    must(run("m_wide", list));
    static const char *const named[] = {"shop.id is bigint unsigned instead of bigint", "shop.name is varchar(128) instead of varchar(64)",
                                        "shop.kind is smallint instead of tinyint", "shop.kind has no default instead of 1",
                                        "shop.price is decimal(12,2)", "shop.left_count is bigint unsigned", "shop.made is timestamp(3) instead of datetime"};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (!strstr(buf_text(&said), named[i]))
            fail_msg("not named: %s in %s", named[i], buf_text(&said));
}

static void a_type_holds_what_is_no_wider(void **state)
{
    static const struct {
        const char *wanted, *found;
        bool holds;
    } rows[] = {
        {"varchar(64)", "varchar(64)", true}, {"varchar(64)", "varchar(65)", true}, {"varchar(64)", "varchar(63)", false},
        {"varchar(64)", "char(64)", true}, {"varchar(255)", "text", true}, {"varchar(64)", "tinytext", false}, {"text", "mediumtext", true}, {"text", "varchar(255)", false},
        {"varchar(20)", "enum('PAID')", false}, {"tinyint", "int", true}, {"int", "tinyint", false}, {"int unsigned", "int", true},
        {"bigint", "bigint unsigned", true}, {"bigint", "varchar(64)", false}, {"bigint", "decimal(20,0)", false}, {"decimal(10,2)", "decimal(12,2)", true},
        {"decimal(10,2)", "decimal(10,4)", false}, {"decimal(10,2)", "decimal(8,2)", false}, {"decimal(10,2)", "double", false},
        {"datetime", "datetime(6)", true}, {"datetime", "timestamp", true}, {"datetime", "date", false}, {"time", "time", true}, {"time", "datetime", false}, {"date", "datetime", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (migrate_type_holds(rows[i].wanted, rows[i].found) != rows[i].holds)
            fail_msg("%s for %s", rows[i].found, rows[i].wanted);
}

/* As the account that migrates, with the rights that are left of all. xmalloc'ed message. */
static void migrate_without(const char *rights, const char *named)
{
    struct db_target target = server_target(&fixture.server, NULL);
    struct db *mine;
    char user[16];
    static int number;
    fit_printf(user, "lame%d", ++number);
    fixture_sql(db, "CREATE DATABASE m_%s CHARACTER SET utf8mb4", user);
    fixture_sql(db, "CREATE TABLE m_%s.shop (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(64) NOT NULL, kind TINYINT NOT NULL DEFAULT 1,"
                    " price DECIMAL(10,2), left_count INT UNSIGNED NOT NULL DEFAULT 0, made DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP)", user);
    fixture_sql(db, "CREATE USER '%s'@'localhost' IDENTIFIED BY 'pw'", user);
    fixture_sql(db, "GRANT %s ON m_%s.* TO '%s'@'localhost'", rights, user, user);
    char *options = xprintf("%s/%s.cnf", fixture.folder, user);
    FILE *file = fopen(options, "w");
    fprintf(file, "[frontdesk]\nuser=%s\npassword=pw\n", user);
    fclose(file);
    assert_int_equal(chmod(options, 0600), 0);
    target.defaults_file = options;
    target.user = user;
    char *database = xprintf("m_%s", user);
    const struct migrate_job job = {.list = list};
    must(db_open(&target, &mine, &err));
    must_give(FD_CONFIG, migrate_run_list(mine, database, &job, &err));
    if (!strstr(err.message, named) || fd_code_exit(err.code) != 78 || !err.hint[0])
        fail_msg("without %s: %s", named, err.message);
    db_close(&mine);
    free(database);
    free(options);
}

static void a_right_that_is_missing_is_named(void **state)
{
    (void)state;
    migrate_without("SELECT, INSERT, UPDATE, ALTER, INDEX, TRIGGER, CREATE TEMPORARY TABLES", "CREATE");
    migrate_without("SELECT, INSERT, UPDATE, CREATE, INDEX, TRIGGER, CREATE TEMPORARY TABLES", "ALTER");
    migrate_without("SELECT, INSERT, UPDATE, ALTER, CREATE, INDEX, CREATE TEMPORARY TABLES", "TRIGGER");
    migrate_without("SELECT, INSERT, UPDATE, ALTER, CREATE, INDEX, TRIGGER", "CREATE TEMPORARY TABLES");
    migrate_without("SELECT, UPDATE, ALTER, CREATE, INDEX, TRIGGER, CREATE TEMPORARY TABLES", "INSERT");
}

static struct migration *slow_list(void)
{
    static struct migration slow[2];
    static struct buf text;
    if (!slow[0].sql) {
        for (int i = 0; i < 40; i++)
            buf_printf(&text,
                       "-- @unless table part_%d\nCREATE TABLE part_%d (id INT PRIMARY KEY, a INT);\n"
                       "-- @unless column part_%d.b\nALTER TABLE part_%d ADD COLUMN b VARCHAR(20) NOT NULL DEFAULT 'x';\n"
                       "-- @unless trigger part_%d_g\nCREATE TRIGGER part_%d_g BEFORE UPDATE ON part_%d FOR EACH ROW SET NEW.a = 1;\n",
                       i, i, i, i, i, i, i);
        slow[0] = (struct migration){1, "0001_slow", buf_text(&text)};
    }
    return slow;
}

static char killed_name[] = "m_killed", twice_name[] = "m_twice";

static int migrate_slowly(void *arg)
{
    struct db_target target = server_target(&fixture.server, NULL);
    struct fd_error local = {0};
    struct db *mine;
    const struct migrate_job job = {.list = slow_list()};
    if (db_open(&target, &mine, &local))
        return 1;
    return migrate_run_list(mine, arg, &job, &local) != FD_OK;
}

static void killed_half_way_it_goes_on(void **state)
{
    int interrupted = 0;
    (void)state;
    for (int delay_ms = 15; interrupted < 12; delay_ms += 7) {
        pid_t child = fixture_fork(migrate_slowly, killed_name);
        sleep_ms(delay_ms);
        kill(child, SIGKILL);
        if (fixture_wait(child) == 0)
            break;
        interrupted++;
    }
    assert_true(interrupted > 1);
    must(run("m_killed", slow_list()));
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = 'm_killed' AND column_name = 'b'"), 40);
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM information_schema.triggers WHERE trigger_schema = 'm_killed'"), 40);
}

static void two_at_once_do_not_disturb_each_other(void **state)
{
    pid_t children[3];
    (void)state;
    for (int i = 0; i < 3; i++)
        children[i] = fixture_fork(migrate_slowly, twice_name);
    for (int i = 0; i < 3; i++)
        assert_int_equal(fixture_wait(children[i]), 0);
    assert_int_equal(fixture_int(db, "SELECT COUNT(*) FROM m_twice.schema_version"), 1);
}

static const char unique[] = "-- @dropunique shop a,b\n"
                             "-- @unless column shop.holding\n"
                             "ALTER TABLE shop ADD COLUMN holding INT NULL, ADD UNIQUE KEY uk_holding (a, b, holding);\n";

static void unique_key_is_replaced_whatever_its_name(void **state)
{
    static const struct migration drops[] = {{1, "0001_unique", unique}, {0, NULL, NULL}};
    (void)state;
    fixture_sql(db, "CREATE DATABASE m_unique");
    fixture_sql(db, "CREATE TABLE m_unique.shop (id INT PRIMARY KEY, a INT, b INT, UNIQUE KEY some_name (a, b), UNIQUE KEY other (b, a), UNIQUE KEY only_a (a))");
    must(run("m_unique", drops));
    assert_string_equal(fixture_text(db, "SELECT GROUP_CONCAT(DISTINCT index_name ORDER BY index_name) FROM information_schema.statistics"
                                         " WHERE table_schema = 'm_unique' AND table_name = 'shop' AND non_unique = 0"),
                        "only_a,other,PRIMARY,uk_holding");
    assert_string_equal(fixture_text(db, "SELECT GROUP_CONCAT(DISTINCT index_name) FROM information_schema.statistics"
                                         " WHERE table_schema = 'm_unique' AND table_name = 'shop' AND non_unique = 1"),
                        "idx_a_b");
}

static void failing_statement_tells_the_server_s_words_and_is_run_again(void **state)
{
    static const struct migration bad[] = {{1, "0001_bad", "CREATE TABLE fine (id INT);\nALTER TABLE absent ADD COLUMN x INT;\n"}, {0, NULL, NULL}};
    static const struct migration good[] = {{1, "0001_bad", "-- @unless table fine\nCREATE TABLE fine (id INT);\n"}, {0, NULL, NULL}};
    int version;
    (void)state;
    must_give(FD_SCHEMA, run("m_bad", bad));
    assert_non_null(strstr(err.message, "0001_bad"));
    assert_non_null(strstr(err.message, "absent"));
    assert_int_equal(err.sql_errno, 1146);
    must(run("m_bad", good));
    must(migrate_version(db, &version, &err));
    assert_int_equal(version, 1);
    must_give(FD_CONFIG, run("not`a`name", good));
}

static void online_transactions_are_waited_for(void **state)
{
    struct db_target target = server_target(&fixture.server, "m_busy");
    struct db *online;
    (void)state;
    must(run("m_busy", only_first));
    must(db_open(&target, &online, &err));
    must(db_run(online, "SELECT COUNT(*) FROM shop", &err)); /* holds the table's metadata until it ends */
    pid_t child = fork();
    if (child == 0) {
        sleep_ms(4000);
        _exit(0);
    }
    int64_t begin = mono_ms();
    pid_t migrator = fork();
    if (migrator == 0) {
        struct db *mine;
        struct fd_error local = {0};
        const struct migrate_job job = {.list = list};
        struct db_target own = server_target(&fixture.server, NULL);
        bool failed = db_open(&own, &mine, &local) || migrate_run_list(mine, "m_busy", &job, &local);
        if (failed)
            fprintf(stderr, "migrator: %s: %s\n", local.message, local.detail);
        _exit(failed);
    }
    fixture_wait(child);
    db_rollback(online);
    assert_int_equal(fixture_wait(migrator), 0);
    assert_true(mono_ms() - begin >= 3900);
    db_close(&online);
}

static void the_program_s_own_list_applies_and_verifies(void **state)
{
    int version;
    (void)state;
    int64_t begin = mono_ms();
    must(migrate_run(db, "m_own", NULL, NULL, &err));
    print_message("own migrations: %lld ms\n", (long long)(mono_ms() - begin));
    must(migrate_version(db, &version, &err));
    assert_int_equal(version, migrate_latest());
    must(migrate_check(db, &err));
    must(migrate_verify(db, NULL, NULL, &err));
    buf_clear(&said);
    fixture_sql(db, "DROP TABLE operation_log");
    must_give(FD_SCHEMA, migrate_verify(db, hear, NULL, &err));
    assert_non_null(strstr(buf_text(&said), "operation_log is missing"));
}

static int set_up(void **state)
{
    (void)state;
    fixture_start(&fixture, false);
    struct db_target target = server_target(&fixture.server, NULL);
    return db_open(&target, &db, &err) != FD_OK;
}

static int tear_down(void **state)
{
    (void)state;
    db_close(&db);
    buf_release(&said);
    fixture_stop(&fixture);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_database_gets_everything_once),
        cmocka_unit_test(version_is_known_before_and_after),
        cmocka_unit_test(newer_schema_is_refused),
        cmocka_unit_test(equal_table_of_the_online_system_is_kept_with_its_rows),
        cmocka_unit_test(every_column_that_differs_is_named_and_nothing_changed),
        cmocka_unit_test(what_can_be_borne_is_named_and_the_rest_made),
        cmocka_unit_test(wider_columns_and_missing_defaults_are_borne_and_named),
        cmocka_unit_test(a_type_holds_what_is_no_wider),
        cmocka_unit_test(a_right_that_is_missing_is_named),
        cmocka_unit_test(killed_half_way_it_goes_on),
        cmocka_unit_test(two_at_once_do_not_disturb_each_other),
        cmocka_unit_test(unique_key_is_replaced_whatever_its_name),
        cmocka_unit_test(failing_statement_tells_the_server_s_words_and_is_run_again),
        cmocka_unit_test(online_transactions_are_waited_for),
        cmocka_unit_test(the_program_s_own_list_applies_and_verifies),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
