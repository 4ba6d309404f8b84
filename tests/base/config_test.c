/* Configuration, folders, secrets, languages. */
#include "unit.h"

#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/config.h"
#include "base/i18n.h"
#include "base/mem.h"

extern char **environ;

/* Each test starts with an empty environment but HOME and TMPDIR in a fresh folder. */
static int set_up(void **state)
{
    (void)state;
    const char *folder = scratch_make();
    for (int i = 0; environ && environ[i];) {
        char name[256];
        cut_copy(name, sizeof name, environ[i]);
        name[strcspn(name, "=")] = '\0';
        bool ours = !strncmp(name, "FRONTDESK_", 10) || !strncmp(name, "XDG_", 4) || !strncmp(name, "LC_", 3) ||
                    !strncmp(name, "LANG", 4);
        if (ours)
            unsetenv(name);
        else
            i++;
    }
    setenv("HOME", folder, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    scratch_remove();
    return 0;
}

static struct config *loaded(const char *file)
{
    struct config *config = NULL;
    struct fd_error err = {0};
    if (config_load(file, &config, &err) != FD_OK)
        fail_msg("%s", err.message);
    return config;
}

static void without_any_file_the_defaults_hold(void **state)
{
    (void)state;
    struct config *config = loaded(NULL);
    for (int key = 0; key < CONFIG_COUNT; key++) {
        assert_true(config_is_default(config, (enum config_key)key));
        assert_true(config_help((enum config_key)key)[0]);
    }
    assert_string_equal(config_text(config, CONFIG_NAME), "frontdesk");
    assert_int_equal(config_number(config, CONFIG_PORT), 3306);
    assert_true(config_switch(config, CONFIG_MOUSE));
    assert_false(config_switch(config, CONFIG_PLAIN));
    assert_string_equal(config_text(config, CONFIG_TIME_ZONE), "+08:00");
    config_free(config);
    config_free(NULL);
}

static void a_flag_wins_over_environment_over_user_file(void **state)
{
    (void)state;
    assert_int_equal(mkdir(scratch_path(".config"), 0700), 0);
    assert_int_equal(mkdir(scratch_path(".config/frontdesk"), 0700), 0);
    scratch_write(".config/frontdesk/frontdesk.conf",
                  "; a comment\n[database]\nhost = db.example\nport = 3307\nuser = desk\n[ui]\nmouse = off\n", 0644);
    setenv("FRONTDESK_DATABASE_PORT", "3308", 1);
    setenv("FRONTDESK_DATABASE_USER", "other", 1);
    struct config *config = loaded(NULL);
    assert_string_equal(config_text(config, CONFIG_HOST), "db.example");
    assert_non_null(strstr(config_origin(config, CONFIG_HOST), "frontdesk.conf:3"));
    assert_int_equal(config_number(config, CONFIG_PORT), 3308);
    assert_string_equal(config_origin(config, CONFIG_PORT), "environment FRONTDESK_DATABASE_PORT");
    assert_false(config_switch(config, CONFIG_MOUSE));
    assert_string_equal(config_text(config, CONFIG_MOUSE), "no");
    assert_int_equal(config_set(config, CONFIG_USER, "flagged", NULL), FD_OK);
    assert_string_equal(config_text(config, CONFIG_USER), "flagged");
    assert_string_equal(config_origin(config, CONFIG_USER), "flag");
    assert_string_equal(config_env_name(CONFIG_DATA), "FRONTDESK_DATA");
    assert_string_equal(config_env_name(CONFIG_LOG_FILE), "FRONTDESK_LOG_FILE");
    config_free(config);
    setenv("XDG_CONFIG_HOME", "relative", 1);
    config = loaded(NULL);
    assert_string_equal(config_text(config, CONFIG_HOST), "db.example");
    config_free(config);
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    config = loaded(NULL);
    assert_string_equal(config_text(config, CONFIG_HOST), "");
    config_free(config);
}

static void an_error_names_file_line_and_key(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"[ui]\nmouse = perhaps\n", "conf:2: ui.mouse: \"perhaps\""},
        {"[ui]\n\n\ncolour = red\n", "conf:4: ui.colour: there is no such key"},
        {"[database]\npassword = x\n", "conf:2: database.password: there is no such key"},
        {"[database]\nport = 99999\n", "conf:2: database.port"},
        {"[database]\nport = 0x10\n", "conf:2: database.port"},
        {"[database]\nport =\n", "conf:2: database.port"},
        {"[database]\ntime_zone = Asia/Shanghai\n", "conf:2: database.time_zone"},
        {"[database]\ntime_zone = +8:000\n", "conf:2: database.time_zone"},
        {"[ui]\ntheme = pink\n", "conf:2: ui.theme"},
        {"[ui]\ntheme =\n", "conf:2: ui.theme"},
        {"[ui]\ntheme = dark light\n", "conf:2: ui.theme"},
        {"[ui]\ntheme = dark\ntheme = light\n", "conf:3: ui.theme: the key is given twice"},
        {"[ui]\nmouse\n", "conf:2: write [section]"},
        {"[ui\n", "conf:1: write [section]"},
        {"no section = x\n", "conf:1: .no section: there is no such key"},
        {"[desk]\nterminal = a\x1b[2J\n", "conf:2: desk.terminal"},
        {"[desk]\nterminal = a\xff\n", "conf:2: desk.terminal"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct config *config = NULL;
        struct fd_error err = {0};
        const char *path = scratch_write("conf", rows[i].text, 0600);
        assert_int_equal(config_load(path, &config, &err), FD_CONFIG);
        assert_null(config);
        if (!strstr(err.message, rows[i].says))
            fail_msg("%s instead of %s", err.message, rows[i].says);
    }
    struct config *config = NULL;
    struct fd_error err = {0};
    assert_int_equal(config_load(scratch_path("missing"), &config, &err), FD_CONFIG);
    setenv("FRONTDESK_MOUSE", "x", 1);
    assert_int_equal(config_load(NULL, &config, &err), FD_CONFIG);
    assert_ptr_equal(strstr(err.message, "FRONTDESK_MOUSE: ui.mouse"), err.message);
}

static void a_line_that_libinih_would_split_is_refused(void **state)
{
    (void)state;
    char text[4000] = "[desk]\nterminal = ";
    memset(text + strlen(text), 'x', 3000);
    struct config *config = NULL;
    struct fd_error err = {0};
    assert_int_equal(config_load(scratch_write("conf", text, 0600), &config, &err), FD_CONFIG);
    assert_non_null(strstr(err.message, "conf:2: the line is too long"));
}

static void a_file_that_others_can_write_decides_nothing(void **state)
{
    (void)state;
    struct config *config = NULL;
    struct fd_error err = {0};
    assert_int_equal(config_load(scratch_write("conf", "[ui]\n", 0666), &config, &err), FD_CONFIG);
    assert_non_null(strstr(err.message, "other users"));
    assert_int_equal(mkfifo(scratch_path("pipe"), 0600), 0);
    assert_int_equal(config_load(scratch_path("pipe"), &config, &err), FD_CONFIG);
}

static void a_flag_that_does_not_fit_changes_nothing(void **state)
{
    (void)state;
    struct config *config = loaded(NULL);
    struct fd_error err = {0};
    assert_int_equal(config_set(config, CONFIG_PORT, "many", &err), FD_CONFIG);
    assert_int_equal(config_number(config, CONFIG_PORT), 3306);
    assert_int_equal(config_set(config, CONFIG_LANGUAGE, "", &err), FD_OK);
    assert_int_equal(config_set(config, CONFIG_LANGUAGE, "zh_CN", &err), FD_OK);
    assert_int_equal(config_set(config, CONFIG_LANGUAGE, "fr", &err), FD_CONFIG);
    assert_int_equal(config_set(config, CONFIG_TIME_ZONE, "-03:30", &err), FD_OK);
    config_free(config);
}

static void random_files_are_refused_or_read(void **state)
{
    (void)state;
    static const char *const pieces[] = {"[",     "]",   "ui",           "=",    "\n",       " ",      ";",
                                         "mouse", "yes", "\t",           "\xff", "database", "[ui]\n", "port",
                                         "3306",  "\r",  "\xef\xbb\xbf", ":",    "#",        "\"",     "\033"};
    unsigned seed = 20261130;
    int read = 0;
    for (int i = 0; i < 3000; i++) {
        char text[200] = "";
        for (int count = rand_r(&seed) % 12; count; count--)
            strcat(text, pieces[(unsigned)rand_r(&seed) % COUNT(pieces)]);
        struct config *config = NULL;
        struct fd_error err = {0};
        if (config_load(scratch_write("conf", text, 0600), &config, &err) == FD_OK)
            read++;
        else
            assert_non_null(strstr(err.message, "conf:"));
        config_free(config);
    }
    assert_true(read > 50);
}

/* ---- folders ---- */

static void folders_are_made_for_the_user_only(void **state)
{
    (void)state;
    char *data = folder_data();
    assert_string_equal(data, scratch_path(".local/share/frontdesk"));
    struct stat info;
    assert_int_equal(stat(data, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    free(data);
    setenv("XDG_STATE_HOME", scratch_path("state"), 1);
    char *kept = folder_state();
    assert_string_equal(kept, scratch_path("state/frontdesk"));
    assert_int_equal(access(kept, W_OK), 0);
    free(kept);
}

static void the_runtime_folder_is_private_and_short(void **state)
{
    (void)state;
    char *path = NULL;
    assert_int_equal(mkdir(scratch_path("run"), 0700), 0);
    setenv("XDG_RUNTIME_DIR", scratch_path("run"), 1);
    assert_int_equal(folder_runtime(&path, NULL), FD_OK);
    assert_string_equal(path, scratch_path("run/frontdesk"));
    assert_int_equal(chmod(path, 0755), 0);
    free(path);
    char *temporary = xstrdup(getenv("TMPDIR") ? getenv("TMPDIR") : "");
    setenv("TMPDIR", scratch_path("run"), 1);
    assert_int_equal(folder_runtime(&path, NULL), FD_OK);
    assert_non_null(strstr(path, "/run/frontdesk-"));
    free(path);
    setenv("XDG_RUNTIME_DIR", "/tmp/a-folder/with-a-name-that/is-much-too-long-for/the-path-of-a-socket", 1);
    assert_int_equal(folder_runtime(&path, NULL), FD_OK);
    assert_true(strlen(path) <= 60);
    free(path);
    if (temporary[0])
        setenv("TMPDIR", temporary, 1);
    else
        unsetenv("TMPDIR");
    free(temporary);
}

/* ---- secrets ---- */

static void a_secret_is_one_line_of_a_private_file(void **state)
{
    (void)state;
    char *secret = NULL;
    struct fd_error err = {0};
    static const char *const fine[] = {"s3cret", "s3cret\n", "s3cret\r\n"};
    for (size_t i = 0; i < COUNT(fine); i++) {
        assert_int_equal(secret_read(scratch_write("secret", fine[i], 0600), &secret, &err), FD_OK);
        assert_string_equal(secret, "s3cret");
        free(secret);
    }
    secret = NULL;
    char longer[2000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    static const struct {
        const char *text;
        unsigned mode;
        const char *says;
    } rows[] = {
        {"x", 0644, "other users"}, {"x", 0640, "other users"}, {"x", 0601, "other users"},
        {"", 0600, "empty"},        {"\n", 0600, "empty"},      {"a\nb\n", 0600, "more than one line"},
        {NULL, 0600, "at most"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *path = scratch_write("secret", rows[i].text ? rows[i].text : longer, rows[i].mode);
        assert_int_equal(secret_read(path, &secret, &err), FD_CONFIG);
        if (!strstr(err.message, rows[i].says))
            fail_msg("%s instead of %s", err.message, rows[i].says);
    }
    assert_null(secret);
}

static void a_secret_behind_a_link_a_pipe_or_a_folder_is_refused(void **state)
{
    (void)state;
    char *secret = NULL;
    struct fd_error err = {0};
    char *target = xstrdup(scratch_write("secret", "x", 0600));
    assert_int_equal(symlink(target, scratch_path("link")), 0);
    assert_int_equal(secret_read(scratch_path("link"), &secret, &err), FD_CONFIG);
    assert_non_null(strstr(err.message, "symbolic link"));
    assert_int_equal(mkfifo(scratch_path("pipe"), 0600), 0);
    assert_int_equal(secret_read(scratch_path("pipe"), &secret, &err), FD_CONFIG);
    assert_int_equal(secret_read(scratch_path("."), &secret, &err), FD_CONFIG);
    assert_int_equal(secret_read(scratch_path("missing"), &secret, &err), FD_CONFIG);
    if (!geteuid()) {
        assert_int_equal(chown(target, 65534, 65534), 0);
        assert_int_equal(secret_read(target, &secret, &err), FD_CONFIG);
        assert_non_null(strstr(err.message, "another user"));
    }
    free(target);
}

static void from_standard_input_one_line_is_taken_and_the_rest_left(void **state)
{
    (void)state;
    int ends[2], kept = dup(STDIN_FILENO);
    char *secret = NULL, rest[16] = "";
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "first\nrest", 10), 10);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    assert_int_equal(secret_read("-", &secret, NULL), FD_OK);
    assert_string_equal(secret, "first");
    assert_int_equal(read(STDIN_FILENO, rest, sizeof rest), 4);
    assert_string_equal(rest, "rest");
    dup2(kept, STDIN_FILENO);
    close(kept);
    free(secret);
}

/* ---- languages ---- */

static void the_environment_chooses_language_and_codeset(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
        int accepted;
        const char *language;
    } rows[] = {
        {"LANG", NULL, 1, "en"},
        {"LANG", "C", 1, "en"},
        {"LC_ALL", "POSIX", 1, "en"},
        {"LANG", "zh_CN.UTF-8", 1, "zh_CN"},
        {"LANG", "zh_TW.utf8", 1, "zh_CN"},
        {"LANG", "en_US.UTF-8", 1, "en"},
        {"LC_ALL", "zh_CN.GB18030", 0, "zh_CN"},
        {"LANG", "de_DE.ISO-8859-1@euro", 0, "en"},
        {"LANG", "fr_FR", 1, "en"},
        {"LANGUAGE", "zh_CN:en", 1, "zh_CN"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsetenv("LC_ALL"), unsetenv("LANG"), unsetenv("LANGUAGE");
        if (rows[i].value)
            setenv(rows[i].name, rows[i].value, 1);
        assert_int_equal(i18n_start("frontdesk"), rows[i].accepted);
        assert_string_equal(i18n_language(), rows[i].language);
        assert_string_equal(nl_langinfo(CODESET), "UTF-8");
        assert_string_equal(setlocale(LC_NUMERIC, NULL), "C");
    }
}

/* Makes a catalogue with msgfmt where the build has it, beside this program as an uninstalled
 * build does. */
static void messages_switch_while_the_program_runs(void **state)
{
    (void)state;
    setenv("LANG", "C.UTF-8", 1);
    i18n_start("frontdesk");
    scratch_write("zh.po",
                  "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n"
                  "msgid \"Not found.\"\nmsgstr \"没有找到。\"\n"
                  "msgctxt \"weekday\"\nmsgid \"Tue\"\nmsgstr \"周二\"\n",
                  0600);
    char command[1500];
    fit_printf(command, "cd '%s' && mkdir -p zh_CN/LC_MESSAGES && msgfmt -o zh_CN/LC_MESSAGES/frontdesk.mo zh.po",
               scratch_path("."));
    if (system(command) != 0)
        skip();
    bindtextdomain("frontdesk", scratch_path("."));
    assert_string_equal(fd_code_sentence(FD_NOT_FOUND), "Not found.");
    assert_true(i18n_switch("zh_CN"));
    assert_string_equal(i18n_language(), "zh_CN");
    assert_string_equal(fd_code_sentence(FD_NOT_FOUND), "没有找到。");
    assert_string_equal(C_("weekday", "Tue"), "周二");
    assert_string_equal(i18n_label(NC_("weekday", "Tue")), "周二");
    assert_string_equal(i18n_label(NC_("weekday", "Wed")), "Wed");
    assert_string_equal(fd_code_sentence(FD_OK), "");
    assert_false(i18n_switch("de"));
    assert_string_equal(i18n_language(), "zh_CN");
    assert_true(i18n_switch("en"));
    assert_string_equal(fd_code_sentence(FD_NOT_FOUND), "Not found.");
    assert_string_equal(C_("weekday", "Tue"), "Tue");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_any_file_the_defaults_hold),
        TEST(a_flag_wins_over_environment_over_user_file),
        TEST(an_error_names_file_line_and_key),
        TEST(a_line_that_libinih_would_split_is_refused),
        TEST(a_file_that_others_can_write_decides_nothing),
        TEST(a_flag_that_does_not_fit_changes_nothing),
        TEST(random_files_are_refused_or_read),
        TEST(folders_are_made_for_the_user_only),
        TEST(the_runtime_folder_is_private_and_short),
        TEST(a_secret_is_one_line_of_a_private_file),
        TEST(a_secret_behind_a_link_a_pipe_or_a_folder_is_refused),
        TEST(from_standard_input_one_line_is_taken_and_the_rest_left),
        TEST(the_environment_chooses_language_and_codeset),
        TEST(messages_switch_while_the_program_runs),
    };
    return cmocka_run_group_tests_name("base/config", tests, NULL, NULL);
}
