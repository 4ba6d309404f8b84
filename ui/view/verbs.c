/* The `:` line: the words of the action tables, run through the same functions as the subcommands,
 * and a few short words that open screens. */
#include <stdlib.h>
#include <string.h>
#include "core/action.h"
#include "money/print.h"
#include "ui/view/act.h"
#include "ui/view/slip.h"
#include "ui/view/console_internal.h"
#include "ui/view/grid_internal.h"

enum { WORDS_MOST = 64 };

/* --- words ------------------------------------------------------------------------------------ */

struct words {
    char *text; /* copy of the line that the words point into */
    char *word[WORDS_MOST];
    int at[WORDS_MOST]; /* byte offset in the line */
    int count;
    bool open; /* the last word goes on: no blank behind it */
};

/* Blanks divide; '…' and "…" hold together. What does not fit is left out: no action takes so many. */
static void words_split(struct words *words, const char *line)
{
    *words = (struct words){.text = xstrdup(line)};
    char *out = words->text;
    const char *at = line;
    while (words->count < WORDS_MOST) {
        while (*at == ' ')
            at++;
        if (!*at)
            break;
        words->at[words->count] = (int)(at - line);
        words->word[words->count++] = out;
        char quote = '\0';
        for (; *at && (quote || *at != ' '); at++) {
            if (quote ? *at == quote : (*at == '"' || *at == '\''))
                quote = quote ? '\0' : *at;
            else
                *out++ = *at;
        }
        words->open = !*at;
        if (*at)
            at++;
        *out++ = '\0'; /* never ahead of `at`: the blank or the line's end was its place */
    }
}

static void words_release(struct words *words)
{
    free(words->text);
    words->text = NULL;
}

/* --- short words that open screens ------------------------------------------------------------- */

struct verb {
    const char *word, *argument, *help; /* argument: shown in the help; NULL none */
    int least, most;                    /* words that follow */
    enum fd_code (*run)(struct app *app, struct words *words, struct fd_error *err);
};

static enum fd_code run_find(struct app *app, struct words *words, struct fd_error *err)
{
    (void)err;
    view_push(app_top(app), &view_orders,
              &(struct orders_args){.find = words->word[1], .from = DAY_NONE, .to = DAY_NONE});
    return FD_OK;
}

static enum fd_code run_check_in(struct app *app, struct words *words, struct fd_error *err)
{
    (void)err;
    act_check_in(app_top(app), words->count > 1 ? words->word[1] : NULL);
    return FD_OK;
}

static enum fd_code run_pay(struct app *app, struct words *words, struct fd_error *err)
{
    (void)err;
    if (words->count > 1)
        act_pay(app_top(app), words->word[1]);
    else
        app_go_name(app, "pay");
    return FD_OK;
}

static enum fd_code run_move(struct app *app, struct words *words, struct fd_error *err)
{
    (void)err;
    act_move(app_top(app), words->word[1]);
    return FD_OK;
}

static enum fd_code run_day(struct app *app, struct words *words, struct fd_error *err)
{
    day_t day;
    enum fd_code code = day_parse(words->word[1], _("Date"), app_today(app), &day, err);
    if (code != FD_OK)
        return code;
    struct view *grid = app_screen(app, "grid");
    app_go_name(app, "grid");
    /* What lies over the grid goes, unless something half done asks first. */
    while (app_top(app) != grid &&
           (!view_ops(app_top(app))->may_close || view_ops(app_top(app))->may_close(app_top(app))))
        view_close(app_top(app), 0);
    grid_go(grid, day);
    return FD_OK;
}

static enum fd_code push(struct app *app, const struct view_ops *ops)
{
    view_push(app_top(app), ops, NULL);
    return FD_OK;
}

static enum fd_code run_cases(struct app *app, struct words *words, struct fd_error *err)
{
    (void)words;
    (void)err;
    return push(app, &view_cases);
}

static enum fd_code run_approvals(struct app *app, struct words *words, struct fd_error *err)
{
    (void)words;
    (void)err;
    return push(app, &view_approvals);
}

static enum fd_code run_printer(struct app *app, struct words *words, struct fd_error *err)
{
    (void)words;
    (void)err;
    return push(app, &view_printer);
}

static enum fd_code run_refund(struct app *app, struct words *words, struct fd_error *err)
{
    (void)err;
    act_refund(app_top(app), words->word[1]);
    return FD_OK;
}

static enum fd_code run_sign_out(struct app *app, struct words *words, struct fd_error *err)
{
    (void)words;
    (void)err;
    console_change_operator(app_context(app));
    return FD_OK;
}

/* `pay NO`, `mv NO` and `day DATE` have one word; `pay cash NO …` is the action. */
static const struct verb verbs[] = {
    {"o", N_("TEXT"), N_("orders by number, tail, phone, name or initials"), 1, 1, run_find},
    {"ci", N_("TAIL"), N_("check in by order or phone tail"), 0, 1, run_check_in},
    {"pay", N_("NUMBER"), N_("take payment on its screen"), 0, 1, run_pay},
    {"mv", N_("NUMBER"), N_("move an order on its screen"), 1, 1, run_move},
    {"back", N_("NUMBER"), N_("give money back on its form"), 1, 1, run_refund},
    {"cases", NULL, N_("what needs a person"), 0, 0, run_cases},
    {"approvals", NULL, N_("refunds and prices to approve"), 0, 0, run_approvals},
    {"printer", NULL, N_("what waits for the printer"), 0, 0, run_printer},
    {"day", N_("DATE"), N_("the day grid on a date"), 1, 1, run_day},
    {"sign-out", NULL, N_("change the operator"), 0, 0, run_sign_out},
};

static const struct verb *verb_find(const struct words *words)
{
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(verbs[i].word, words->word[0]) == 0 && words->count - 1 >= verbs[i].least &&
            words->count - 1 <= verbs[i].most)
            return &verbs[i];
    return NULL;
}

/* --- actions ----------------------------------------------------------------------------------- */

static bool begins(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

static bool is_offered(const struct action *action)
{
    return (action->flags & A_CONSOLE) && !(action->flags & A_SECRET);
}

/* The noun that a word means: itself, or the only one that begins so. NULL: none or several. */
static const char *noun_of(const char *word)
{
    const struct action *const *list;
    size_t count = action_all(&list);
    const char *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!is_offered(list[i]) || !begins(list[i]->noun, word))
            continue;
        if (strcmp(list[i]->noun, word) == 0)
            return list[i]->noun;
        if (found && strcmp(found, list[i]->noun) != 0)
            return NULL;
        found = list[i]->noun;
    }
    return found;
}

static const struct action *verb_of(const char *noun, const char *word)
{
    const struct action *const *list;
    size_t count = action_all(&list);
    const struct action *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!is_offered(list[i]) || strcmp(list[i]->noun, noun) != 0 || !begins(list[i]->verb, word))
            continue;
        if (strcmp(list[i]->verb, word) == 0)
            return list[i];
        if (found)
            return NULL;
        found = list[i];
    }
    return found;
}

/* The action of a line and how many words name it. FD_NOT_FOUND with *bad the word that is none. */
static enum fd_code action_of(const struct words *words, const struct action **action, int *used, int *bad,
                              struct fd_error *err)
{
    *bad = 0;
    *used = 1;
    *action = action_by_short(words->word[0]);
    if (*action && is_offered(*action))
        return FD_OK;
    const char *noun = noun_of(words->word[0]);
    if (!noun)
        return fd_fail(err, FD_NOT_FOUND, _("There is no “%s”."), words->word[0]);
    *action = action_find(noun, "");
    if (*action && is_offered(*action))
        return FD_OK;
    *bad = words->count > 1 ? 1 : 0;
    *used = 2;
    *action = words->count > 1 ? verb_of(noun, words->word[1]) : NULL;
    if (*action)
        return FD_OK;
    fd_fail(err, FD_USAGE, words->count > 1 ? _("“%s” has no “%s”.") : _("“%s” needs a verb."), noun,
            words->count > 1 ? words->word[1] : "");
    fd_hint(err, "%s", _("Tab shows what fits."));
    return FD_USAGE;
}

/* One line on its way through the desk thread. */
struct run {
    struct console *console;
    struct words words;
    struct call call;
    char *text;
    char key[KEY_BYTES];
    int tries;
    bool prints; /* a slip waits now */
};

static void run_free(void *arg)
{
    struct run *run = arg;
    if (!run)
        return;
    call_release(&run->call);
    words_release(&run->words);
    free(run->text);
    free(run);
}

static enum fd_code run_in_desk(struct desk *desk, void *arg, struct fd_error *err)
{
    struct run *run = arg;
    if (run->tries)
        sleep_ms(700); /* asked again: was it done? */
    run->call.desk = desk;
    enum fd_code code = call_run(&run->call, err);
    if (code == FD_OK) {
        run->prints = print_after(&run->call);
        run->text = call_print(&run->call);
    }
    return code;
}

static void tell(struct app *app, const struct run *run)
{
    const char *text = run->text ? run->text : "";
    size_t bytes = strcspn(text, "\n");
    struct view *top = app_top(app);
    char title[64];
    if (!text[bytes] || !text[bytes + 1]) {
        app_message(app, MESSAGE_GOOD, "%.*s", (int)bytes, bytes ? text : _("Done."));
        if (!bytes)
            app_message(app, MESSAGE_GOOD, "%s", _("Done."));
    } else {
        view_push(top, &view_text, &(struct text_args){action_name(run->call.action, title), text});
    }
    if ((run->call.action->flags & A_WRITE) && view_ops(top)->load && !app_is_covered(app))
        view_ops(top)->load(top);
}

static void run_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err);

static void run_post(struct run *run)
{
    bool writes = run->call.action->flags & A_WRITE;
    struct job job = {N_("Running the command"), writes ? JOB_WRITE : JOB_READ, run_in_desk, run_done, run, run_free};
    jobs_post(run->console->jobs, run->console, &job);
}

static void run_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct console *console = owner;
    struct run *run = arg;
    if (code == FD_OK) {
        tell(console->app, run);
        if (run->prints)
            slip_send_quietly(console);
    } else if (code == FD_UNKNOWN) {
        struct run *again = xcalloc(1, sizeof *again);
        *again = *run;
        memset(run, 0, sizeof *run); /* what it owned went on to the next try */
        again->tries++;
        app_message(console->app, MESSAGE_WARN, "%s", _("Checking whether it was done…"));
        run_post(again);
    } else {
        app_error(console->app, err);
    }
}

static enum fd_code run_action(struct app *app, const char *line, int *bad_at, struct fd_error *err)
{
    struct console *console = app_context(app);
    struct run *run = xcalloc(1, sizeof *run);
    int used, bad = 0;
    words_split(&run->words, line);
    run->console = console;
    enum fd_code code = action_of(&run->words, &run->call.action, &used, &bad, err);
    if (code == FD_OK) {
        run->call.config = console->config;
        run->call.today = app_today(app);
        code = call_parse(&run->call, run->words.count - used, run->words.word + used, &bad, err);
        bad += used;
    }
    if (code == FD_OK && (run->call.action->flags & A_WRITE) && config_switch(console->config, CONFIG_READONLY))
        code = fd_fail(err, FD_NO_PERMISSION, "%s",
                       _("This would change something, and frontdesk was started read-only."));
    if (code == FD_OK && !run->call.key && (run->call.action->flags & A_WRITE)) {
        key_new(run->key);
        run->call.key = arena_str(&run->call.arena, run->key); /* stays where it is when the run is handed on */
    }
    if (code == FD_OK) {
        run_post(run);
        return FD_OK;
    }
    *bad_at = bad >= 0 && bad < run->words.count ? run->words.at[bad] : (int)strlen(line);
    run_free(run);
    return code;
}

enum fd_code verbs_command(void *context, struct app *app, const char *line, int *bad_at, struct fd_error *err)
{
    struct words words;
    (void)context;
    *bad_at = -1;
    words_split(&words, line);
    if (!words.count) {
        words_release(&words);
        return FD_OK;
    }
    const struct verb *verb = verb_find(&words);
    const char *noun = words.count > 1 ? noun_of(words.word[0]) : NULL;
    /* "day show" is the action, "day 12-01" the screen. */
    bool is_action = noun && verb_of(noun, words.word[1]);
    enum fd_code code;
    if (verb && !is_action) {
        code = verb->run(app, &words, err);
        if (code != FD_OK)
            *bad_at = words.count > 1 ? words.at[1] : words.at[0];
    } else {
        code = run_action(app, line, bad_at, err);
    }
    words_release(&words);
    return code;
}

/* --- completion -------------------------------------------------------------------------------- */

struct offers {
    struct arena *arena;
    const char *prefix;
    struct completion *out;
    size_t room, count;
};

static void offer(struct offers *offers, const char *word, const char *summary)
{
    if (offers->count >= offers->room || !begins(word, offers->prefix))
        return;
    for (size_t i = 0; i < offers->count; i++)
        if (strcmp(offers->out[i].word, word) == 0)
            return;
    offers->out[offers->count++] = (struct completion){arena_str(offers->arena, word), summary};
}

static void offer_first(struct offers *offers)
{
    const struct action *const *list;
    size_t count = action_all(&list);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        offer(offers, verbs[i].word, _(verbs[i].help));
    for (size_t i = 0; i < count; i++) {
        if (!is_offered(list[i]))
            continue;
        offer(offers, list[i]->noun, *list[i]->verb ? NULL : _(list[i]->summary));
        if (list[i]->shorts)
            offer(offers, list[i]->shorts, _(list[i]->summary));
    }
}

static void offer_verbs(struct offers *offers, const char *noun)
{
    const struct action *const *list;
    size_t count = action_all(&list);
    for (size_t i = 0; i < count; i++)
        if (is_offered(list[i]) && strcmp(list[i]->noun, noun) == 0)
            offer(offers, list[i]->verb, _(list[i]->summary));
}

static void offer_choices(struct offers *offers, const struct action_param *param)
{
    const char *at = param->choices;
    while (at && *at) {
        size_t bytes = strcspn(at, "|");
        offer(offers, arena_printf(offers->arena, "%.*s", (int)bytes, at), NULL);
        at += bytes + (at[bytes] == '|');
    }
}

/* After "--flag" its choices; else the flags, and the choices of a positional one. */
static void offer_arguments(struct offers *offers, const struct action *action, const char *before)
{
    for (const struct action_param *param = action->params; param && param->name; param++)
        if (begins(before, "--") && strcmp(before + 2, param->name) == 0 && param->type != P_SWITCH) {
            if (param->choices)
                offer_choices(offers, param);
            return;
        }
    for (const struct action_param *param = action->params; param && param->name; param++) {
        if (!(param->flags & P_POSITIONAL))
            offer(offers, arena_printf(offers->arena, "--%s", param->name), param->help ? _(param->help) : NULL);
        else if (param->choices)
            offer_choices(offers, param);
    }
    if (action->flags & A_WRITE)
        offer(offers, "--reason", _("why, for the log"));
}

size_t verbs_complete(void *context, const char *line, struct arena *arena, size_t *from, struct completion *out,
                      size_t room)
{
    struct words words;
    (void)context;
    words_split(&words, line);
    int here = words.open && words.count ? words.count - 1 : words.count;
    struct offers offers = {arena, here < words.count ? arena_str(arena, words.word[here]) : "", out, room, 0};
    *from = here < words.count ? (size_t)words.at[here] : strlen(line);
    if (here == 0) {
        offer_first(&offers);
    } else {
        struct words named = words;
        const struct action *action;
        const char *noun = noun_of(words.word[0]);
        struct fd_error ignored;
        int used, bad;
        named.count = here; /* the word that is being typed names nothing yet */
        if (action_of(&named, &action, &used, &bad, &ignored) == FD_OK)
            offer_arguments(&offers, action, words.word[here - 1]);
        else if (here == 1 && noun)
            offer_verbs(&offers, noun);
    }
    words_release(&words);
    return offers.count;
}

void verbs_help(void *context, struct buf *text)
{
    const struct action *const *list;
    size_t count = action_all(&list);
    (void)context;
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        buf_printf(text, ":%s %s\t%s\n", verbs[i].word, verbs[i].argument ? _(verbs[i].argument) : "",
                   _(verbs[i].help));
    for (size_t i = 0; i < count; i++)
        if (is_offered(list[i]))
            buf_printf(text, ":%s %s%s%s%s\t%s\n", list[i]->noun, list[i]->verb, list[i]->shorts ? " (" : "",
                       list[i]->shorts ? list[i]->shorts : "", list[i]->shorts ? ")" : "", _(list[i]->summary));
}
