/* State rules: finding moves, words for people, printing. Loading and comparing are in rule_db.c. */
#include "core/rule.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/rule_internal.h"
#include "outside/tree.h"

/* One table of states: whoever adds a business adds its rows here. */
static const struct state_row {
    const char *entity, *state;
    const char *label; /* NC_ */
    const char *mark;  /* NC_ */
} states[] = {
    /* TRANSLATORS: states of orders; the one-character marks stand in lists and in the day grid. */
    {"venue_order", "PENDING_PAY", NC_("state", "unpaid"), NC_("mark", "H")},
    {"venue_order", "PAID", NC_("state", "paid"), NC_("mark", "P")},
    {"venue_order", "COMPLETED", NC_("state", "checked in"), NC_("mark", "I")},
    {"venue_order", "CANCELLED", NC_("state", "cancelled"), NC_("order mark", "X")},
    {"venue_order", "NO_SHOW", NC_("state", "no-show"), NC_("mark", "N")},
    {"venue_order", "REFUNDING", NC_("state", "refunding"), NC_("mark", "r")},
    {"venue_order", "REFUNDED", NC_("state", "refunded"), NC_("mark", "R")},
};

static const struct {
    const char *event, *label;
} events[] = {
    {"book", NC_("event", "booked")},
    {"tender", NC_("event", "part payment")},
    {"pay", NC_("event", "paid")},
    {"expire", NC_("event", "hold run out")},
    {"cancel", NC_("event", "cancelled")},
    {"move", NC_("event", "moved")},
    {"change", NC_("event", "changed")},
    {"check_in", NC_("event", "checked in")},
    {"refund", NC_("event", "refund begun")},
    {"refund_ok", NC_("event", "refunded")},
    {"refund_fail", NC_("event", "not refunded")},
    {"miss", NC_("event", "not come")},
    {"add", NC_("event", "added")},
    {"set", NC_("event", "set")},
    {"take", NC_("event", "money taken")},
    {"give_back", NC_("event", "given back")},
    {"take_case", NC_("event", "case taken")},
    {"confirm", NC_("event", "confirmed")},
    {"reject", NC_("event", "rejected")},
    {"phone_shown", NC_("event", "phone shown")},
    {"sign_in", NC_("event", "signed in")},
    {"sign_in_wrong", NC_("event", "bad password")},
    {"lock", NC_("event", "locked")},
    {"unlock", NC_("event", "unlocked")},
    {"disable", NC_("event", "disabled")},
    {"enable", NC_("event", "enabled")},
    {"password", NC_("event", "new password")},
    {"close", NC_("event", "closed")},
    {"open", NC_("event", "opened")},
    {"price", NC_("event", "new price")},
    {"generate", NC_("event", "slots made")},
    {"online", NC_("event", "online edit")},
};

const struct rule *rule_find(const char *entity, const char *from, const char *event)
{
    for (const struct rule *rule = rules; rule->entity; rule++)
        if (strcmp(rule->event, event) == 0 && strcmp(rule->from, from) == 0 && strcmp(rule->entity, entity) == 0)
            return rule;
    return NULL;
}

size_t rule_events(const char *entity, const char *from, unsigned actors, const char **list, size_t most)
{
    size_t count = 0;
    for (const struct rule *rule = rules; rule->entity && count < most; rule++)
        if ((rule->actors & actors) && strcmp(rule->from, from) == 0 && strcmp(rule->entity, entity) == 0)
            list[count++] = rule->event;
    return count;
}

static const struct state_row *state_find(const char *entity, const char *state)
{
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(states[i].state, state) == 0 && strcmp(states[i].entity, entity) == 0)
            return &states[i];
    return NULL;
}

/* A state written online that nobody knows is shown as it is; a static copy outlives the row it came from. */
static const char *unknown_word(const char *word)
{
    static _Thread_local char copies[4][32];
    static _Thread_local unsigned turn;
    char *copy = copies[turn++ % 4];
    text_clean(copy, sizeof copies[0], word);
    return copy;
}

const char *state_label(const char *entity, const char *state)
{
    const struct state_row *row = state_find(entity, state);
    return row ? i18n_label(row->label) : unknown_word(state);
}

const char *state_mark(const char *entity, const char *state)
{
    const struct state_row *row = state_find(entity, state);
    return row ? i18n_label(row->mark) : "?";
}

const char *event_label(const char *event)
{
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (strcmp(events[i].event, event) == 0)
            return i18n_label(events[i].label);
    return unknown_word(event);
}

static const struct {
    enum actor actor;
    const char *name;
} actor_rows[] = {
    {ACTOR_CUSTOMER, "customer"}, {ACTOR_OPERATOR, "operator"}, {ACTOR_WORKER, "worker"},
    {ACTOR_CHANNEL, "channel"},   {ACTOR_KIOSK, "kiosk"},       {ACTOR_ONLINE, "online"},
};

const char *rule_actors(unsigned actors, char out[RULE_ACTORS_BYTES])
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof actor_rows / sizeof *actor_rows; i++)
        if (actors & actor_rows[i].actor)
            at += fit_printf_at(out + at, RULE_ACTORS_BYTES - at, "%s%s", at ? "," : "", actor_rows[i].name);
    return out;
}

static void add_cell(struct buf *buf, const char *text, int width)
{
    struct arena arena = {0};
    buf_add(buf, text_fit(&arena, text, width, -1, false));
    buf_add(buf, "  ");
    arena_release(&arena);
}

static char *print_table(void)
{
    struct buf buf = {0};
    const char *entity = "";
    for (const struct rule *rule = rules; rule->entity; rule++) {
        char actors[RULE_ACTORS_BYTES];
        if (strcmp(entity, rule->entity) != 0)
            buf_printf(&buf, "%s%s\n", entity[0] ? "\n" : "", rule->entity);
        entity = rule->entity;
        buf_add(&buf, "  ");
        add_cell(&buf, rule->from, 11);
        add_cell(&buf, rule->event, 11);
        add_cell(&buf, rule->to, 11);
        add_cell(&buf, rule_actors(rule->actors, actors), 32);
        buf_printf(&buf, "%s%s\n", gettext(rule->text), rule->reason_needed ? _(" (reason needed)") : "");
    }
    return buf_take(&buf);
}

static char *print_json(void)
{
    struct tree *list = tree_list();
    for (const struct rule *rule = rules; rule->entity; rule++) {
        char actors[RULE_ACTORS_BYTES];
        struct tree *row = tree_object();
        tree_put_text(row, "entity", rule->entity);
        tree_put_text(row, "from", rule->from);
        tree_put_text(row, "event", rule->event);
        tree_put_text(row, "to", rule->to);
        tree_put_text(row, "actors", rule_actors(rule->actors, actors));
        tree_put_bool(row, "reason_needed", rule->reason_needed);
        tree_put_text(row, "text", rule->text);
        tree_add(list, row);
    }
    struct tree *all = tree_object();
    tree_put_int(all, "version", RULES_VERSION);
    tree_put(all, "rules", list);
    char *text = tree_dump(all);
    tree_free(&all);
    return text;
}

static char *print_dot(void)
{
    struct buf buf = {0};
    const char *entity = "";
    buf_add(&buf, "digraph rules {\n  rankdir=LR;\n  node [shape=box];\n");
    for (const struct rule *rule = rules; rule->entity; rule++) {
        if (strcmp(entity, rule->entity) != 0)
            buf_printf(&buf, "%s  subgraph cluster_%s {\n    label=\"%s\";\n", entity[0] ? "  }\n" : "", rule->entity,
                       rule->entity);
        entity = rule->entity;
        buf_printf(&buf, "    \"%s.%s\" [label=\"%s\"];\n    \"%s.%s\" [label=\"%s\"];\n", entity, rule->from,
                   rule->from, entity, rule->to, rule->to);
        buf_printf(&buf, "    \"%s.%s\" -> \"%s.%s\" [label=\"%s\"];\n", entity, rule->from, entity, rule->to,
                   rule->event);
    }
    buf_add(&buf, "  }\n}\n");
    return buf_take(&buf);
}

char *rules_print(const char *format)
{
    static const struct {
        const char *format;
        char *(*print)(void);
    } formats[] = {{"table", print_table}, {"json", print_json}, {"dot", print_dot}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (format && strcmp(formats[i].format, format) == 0)
            return formats[i].print();
    return print_table();
}
