/* What tests of a clerk's work share: a screen of 80x24 in English, orders made at the desk, and how they stand. */
#ifndef FD_TESTS_VIEW_CLERK_KIT_H
#define FD_TESTS_VIEW_CLERK_KIT_H
#include "stage.h"

/* The hall as at the beginning, and this operator signed in. */
void at(const char *name);
const char *state_of(const char *order_no); /* until the next question */
int64_t places_left(int slot);
int64_t slot_of(const char *order_no);
int64_t log_rows(const char *event);
/* An order made at the desk, newest of all, so that it is the first of the list; paid_by NULL: unpaid. */
void book(const char *number, int slot, int user, const char *paid_by);
#define NUMBER "20261201VBAAAABBCC"

#endif
