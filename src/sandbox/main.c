/* frontdesk-sandbox: WeChat Pay and Alipay on this machine, for trying and testing. No money moves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "sandbox/command.h"
#include "sandbox/control.h"
#include "sandbox/serve.h"

#define NOTIFY_AT "http://127.0.0.1:8787"

struct line {
    char *folder;
    const char *command;
    const char **words; /* from the command on; NULL ends */
    size_t count;
    bool json, help, version;
};

static void print_help(void)
{
    struct buf text = {0};
    buf_add(&text, _("Usage: frontdesk-sandbox [--folder DIR] COMMAND\n"
                     "WeChat Pay and Alipay on this machine, to try and test frontdesk with. No money moves.\n"
                     "In the folder: channels.conf for [channels] file= of frontdesk, the keys, the ledger.\n\n"));
    buf_printf(&text, "  serve|start %s\n        %s\n",
               _("[--port N] [--notify URL] [--one-minute-rule on|off] [--auto-refund SECONDS|off] [--serial STYLE]"),
               _("serve here, or in the background"));
    command_help(&text);
    buf_printf(&text, "\n%s\n", _("--json answers for programs."));
    fputs(buf_text(&text), stdout);
    buf_release(&text);
}

static int tell_error(const struct fd_error *err, bool json)
{
    if (json) {
        struct tree *tree = tree_object();
        tree_put_text(tree, "error", fd_code_name(err->code));
        tree_put_text(tree, "message", err->message);
        char *text = tree_dump(tree);
        puts(text);
        free(text);
        tree_free(&tree);
    }
    fprintf(stderr, "frontdesk-sandbox: %s\n", err->message);
    if (err->hint[0])
        fprintf(stderr, "%s\n", err->hint);
    return fd_code_exit(err->code);
}

/* From the root: the server enters the folder, and may be started from anywhere. */
static char *absolute(const char *folder)
{
    char *here = folder[0] == '/' ? NULL : getcwd(NULL, 0);
    char *path = here ? xprintf("%s/%s", here, folder) : xstrdup(folder);
    free(here);
    return path;
}

static char *usual_folder(void)
{
    char *data = folder_of("XDG_DATA_HOME", ".local/share"), *folder = xprintf("%s-sandbox", data);
    free(data);
    return folder;
}

static enum fd_code line_read(int argc, char **argv, struct line *line, struct fd_error *err)
{
    line->words = xcalloc((size_t)argc + 1, sizeof *line->words);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--folder") == 0) {
            if (++i == argc)
                return fd_fail(err, FD_USAGE, _("%s needs a value."), "--folder");
            free(line->folder);
            line->folder = absolute(argv[i]);
        } else if (strcmp(argv[i], "--json") == 0) {
            line->json = true;
        } else if (strcmp(argv[i], "--help") == 0) {
            line->help = true;
        } else if (strcmp(argv[i], "--version") == 0) {
            line->version = true;
        } else {
            line->words[line->count++] = argv[i];
        }
    }
    line->command = line->words[0];
    if (!line->folder)
        line->folder = usual_folder();
    return line->command || line->help || line->version ? FD_OK
                                                        : fd_fail(err, FD_USAGE, "%s", _("A command is needed."));
}

/* ---- serve and start ---- */

static bool read_switch(const char *value, const char *const *names, int64_t *out)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], value) == 0) {
            *out = i;
            return true;
        }
    return false;
}

static bool read_count(const char *value, int64_t most, int64_t *out)
{
    char *end;
    long long count = strtoll(value, &end, 10);
    if (end == value || *end || count < 0 || count > most)
        return false;
    *out = count;
    return true;
}

static bool take_option(struct serve_options *options, const char *name, const char *value)
{
    static const char *const switches[] = {"off", "on", NULL};
    static const char *const styles[] = {"public", "certificate", "mixed", NULL};
    int64_t port;
    if (strcmp(name, "--one-minute-rule") == 0)
        return read_switch(value, switches, &options->one_minute);
    if (strcmp(name, "--serial") == 0)
        return read_switch(value, styles, &options->serial);
    if (strcmp(name, "--auto-refund") == 0 && strcmp(value, "off") == 0) {
        options->auto_refund_s = -1;
        return true;
    }
    if (strcmp(name, "--auto-refund") == 0)
        return read_count(value, 365 * 86400, &options->auto_refund_s);
    if (strcmp(name, "--port") == 0 && read_count(value, 65535, &port)) {
        options->port = (int)port;
        return true;
    }
    if (strcmp(name, "--notify") == 0 && strncmp(value, "http://", 7) == 0) {
        options->notify = value;
        return true;
    }
    return false;
}

static enum fd_code serve_options_read(const struct line *line, struct serve_options *options, struct fd_error *err)
{
    *options = (struct serve_options){.folder = line->folder,
                                      .notify = NOTIFY_AT,
                                      .one_minute = SERVE_UNSET,
                                      .auto_refund_s = SERVE_UNSET,
                                      .serial = SERVE_UNSET,
                                      .ready_fd = -1};
    for (size_t i = 1; i < line->count; i += 2)
        if (!line->words[i + 1] || !take_option(options, line->words[i], line->words[i + 1]))
            return fd_fail(err, FD_USAGE, _("%s is not understood."), line->words[i]);
    return FD_OK;
}

static enum fd_code run_server(const struct line *line, struct fd_error *err)
{
    struct serve_options options;
    enum fd_code code = serve_options_read(line, &options, err);
    if (code != FD_OK)
        return code;
    return strcmp(line->command, "start") == 0 ? serve_start(&options, err) : serve_run(&options, err);
}

static enum fd_code run_stop(const struct line *line, struct fd_error *err)
{
    bool was;
    enum fd_code code = serve_stop(line->folder, &was, err);
    if (code == FD_OK && !was && !line->json)
        puts(_("No sandbox was running."));
    return code;
}

/* ---- everything else is the server's to answer ---- */

static int run_command(const struct line *line)
{
    struct fd_error err = {0};
    /* Where there is no folder there is no server either, which is said in one way. */
    struct tree *reply = chdir(line->folder) == 0
                             ? control_ask(line->words, &err)
                             : (fd_fail(&err, FD_NOT_FOUND, _("No sandbox serves in %s."), line->folder), NULL);
    if (!reply)
        return tell_error(&err, line->json);
    int status = (int)tree_get_int(reply, "status");
    const struct tree *answer = tree_get(reply, "answer");
    const char *text = tree_get_text(reply, "text");
    if (line->json) {
        char *dumped = tree_dump(answer);
        puts(dumped);
        free(dumped);
    }
    if (status != 0)
        fprintf(stderr, "frontdesk-sandbox: %s", text ? text : "\n");
    else if (!line->json && text)
        fputs(text, stdout);
    tree_free(&reply);
    return status;
}

static int run_line(const struct line *line)
{
    struct fd_error err = {0};
    enum fd_code code = FD_OK;
    if (line->help) {
        print_help();
    } else if (line->version) {
        printf("frontdesk-sandbox %s\n", FD_VERSION);
    } else if (strcmp(line->command, "serve") == 0 || strcmp(line->command, "start") == 0) {
        code = run_server(line, &err);
    } else if (strcmp(line->command, "stop") == 0) {
        code = run_stop(line, &err);
    } else {
        return run_command(line);
    }
    return code == FD_OK ? 0 : tell_error(&err, line->json);
}

int main(int argc, char **argv)
{
    struct line line = {0};
    struct fd_error err = {0};
    i18n_start(argv[0]);
    int status = line_read(argc, argv, &line, &err) == FD_OK ? run_line(&line) : tell_error(&err, line.json);
    free(line.folder);
    free(line.words);
    return status;
}
