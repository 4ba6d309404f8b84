/* State rules: data from sql/rules/<entity>.tsv, made into a C table by the build, loaded into
 * state_rule by migrate, compared at start. Source: domain section 1. */
#ifndef FD_CORE_RULE_H
#define FD_CORE_RULE_H
#include <stdbool.h>
#include <stddef.h>
#include "db/db.h"

enum actor { ACTOR_CUSTOMER = 1, ACTOR_OPERATOR = 2, ACTOR_WORKER = 4, ACTOR_CHANNEL = 8, ACTOR_KIOSK = 16, ACTOR_ONLINE = 32 };
struct rule {
    const char *entity; /* "venue_order" */
    const char *from, *event, *to;
    unsigned actors;    /* of enum actor */
    bool reason_needed;
    const char *text;   /* untranslated msgid */
};
extern const struct rule rules[]; /* made by the build; entity NULL ends */
#define RULES_VERSION 5           /* raised with every change of the rows */

/* The move for (entity, from, event), or NULL. */
const struct rule *rule_find(const char *entity, const char *from, const char *event);
/* What an actor may do from a state: fills events[] (borrowed names), returns how many. */
size_t rule_events(const char *entity, const char *from, unsigned actors, const char **events, size_t most);
/* Label of a state for people, translated: 待支付. Static. One table in rule.c. */
const char *state_label(const char *entity, const char *state);
/* One-character mark of a state in lists and grids, translated: 留 付 到 缺 / H P I N. Static. */
const char *state_mark(const char *entity, const char *state);
const char *event_label(const char *event); /* translated: 预订, 收款 … */
/* Loads the rows into state_rule and state_rule_version (migrate calls it). */
enum fd_code rules_load(struct db *db, struct fd_error *err);
/* FD_SCHEMA where the database's rules are a version this build does not know or differ. */
enum fd_code rules_check(struct db *db, struct fd_error *err);
/* As a table, JSON or Graphviz; xmalloc'ed. format: "table", "json", "dot". */
char *rules_print(const char *format);
#endif
