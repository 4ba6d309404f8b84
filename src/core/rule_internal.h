/* Shared by rule.c and rule_db.c. */
#ifndef FD_CORE_RULE_INTERNAL_H
#define FD_CORE_RULE_INTERNAL_H
#include "core/rule.h"

#define RULE_ACTORS_BYTES 101 /* state_rule.actors */
/* The actors as words, "customer,operator", in the order of enum actor. Returns out. */
const char *rule_actors(unsigned actors, char out[RULE_ACTORS_BYTES]);
#endif
