/* What schedules.c and the forms beside it share. */
#ifndef FD_VIEW_SCHEDULES_H
#define FD_VIEW_SCHEDULES_H

#include "ui/view/parts.h"

#define VENUES_MOST 200
struct venue_names { /* for choices in forms */
    size_t count;
    struct {
        int64_t id;
        char name[96], sport[48], form[12];
    } rows[VENUES_MOST];
};

/* Makes slots in bulk; `like` is what the form begins with: venue, day, hours, length, places, price. */
struct slots_like {
    int64_t venue_id, places, price_fen; /* price negative: not known */
    day_t day;
    int open_minute, close_minute, length_minutes;
};
void slots_make_ask(struct view *view, const struct venue_names *venues, const struct slots_like *like);

enum slots_do { SLOTS_CLOSE, SLOTS_OPEN, SLOTS_PRICE };
#define SLOTS_MOST 400
/* The marked slots: closes, opens or prices these; asks reason and price. `about` says which they are. */
void slots_change_ask(struct view *view, enum slots_do what, const int64_t *ids, size_t count, const char *about);
/* A range: venue, days, weekdays, hours; the form asks what is to be done with it. */
void slots_range_ask(struct view *view, const struct venue_names *venues, int64_t venue_id, day_t day);

/* "135" -> bits of Monday, Wednesday, Friday; "" all (0). False where it is something else. */
bool weekday_digits_parse(const char *text, unsigned *weekdays);
/* "Mon Wed Fri"; "every day" for 0. */
const char *weekday_digits_say(unsigned weekdays, char *out, size_t bytes);

#endif
