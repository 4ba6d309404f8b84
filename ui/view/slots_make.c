/* Making slots in bulk: by weekday, hours, length, price by time of day. How many it would be is
 * said before. */
#include "ui/view/schedules.h"
#include "ui/view/ask.h"
#include "base/money.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    F_VENUE = 1, F_FROM, F_TO, F_WEEKDAYS, F_HOURS, F_LENGTH, F_PLACES, F_PRICE,
    F_BAND, /* three rows of hours, price and weekdays each */
    F_BAND_END = F_BAND + 9
};
#define BANDS 3
#define BAND_HOURS(i)    (F_BAND + 3 * (i))
#define BAND_PRICE(i)    (F_BAND + 3 * (i) + 1)
#define BAND_WEEKDAYS(i) (F_BAND + 3 * (i) + 2)

struct make_arg {
    struct work base;
    struct venue_names venues;
    struct slots_like like;
    struct slot_plan plan;
    struct price_band bands[BANDS];
    struct slot_made made; /* answer; its text in the arena */
};

#define BAND_FIELDS(i, gap)                                                                                                                     \
    {.id = BAND_HOURS(i), .label = N_("Other price"), .kind = FIELD_SPAN, .flags = gap, .width_cells = 13, .hint = N_("Slots that begin in these hours: 18-22")}, \
        {.id = BAND_PRICE(i), .label = N_("costs"), .kind = FIELD_MONEY, .flags = FIELD_SAME_LINE, .width_cells = 10},                              \
        {.id = BAND_WEEKDAYS(i), .label = N_("on"), .kind = FIELD_TEXT, .flags = FIELD_SAME_LINE, .width_cells = 8, .max_chars = 7, .hint = N_("1 Monday to 7 Sunday: 67 is the weekend; empty: every day")}

static const struct field fields[] = {
    {.id = F_VENUE, .label = N_("Place"), .kind = FIELD_CHOICE, .hint = N_("Left and Right, or F4 for the list")},
    {.id = F_FROM, .label = N_("From day"), .kind = FIELD_DATE, .flags = FIELD_REQUIRED, .hint = N_("A day: 12-01, 1, +1, sat, t for today")},
    {.id = F_TO, .label = N_("to"), .kind = FIELD_DATE, .flags = FIELD_REQUIRED | FIELD_SAME_LINE, .hint = N_("The last day, included; at most 400 days")},
    {.id = F_WEEKDAYS, .label = N_("Weekdays"), .kind = FIELD_TEXT, .flags = FIELD_WATCH, .width_cells = 8, .max_chars = 7, .hint = N_("1 Monday to 7 Sunday: 12345 leaves the weekend out; empty: every day")},
    {.id = F_HOURS, .label = N_("Opening hours"), .kind = FIELD_SPAN, .flags = FIELD_REQUIRED, .width_cells = 13, .hint = N_("From the first slot to the end of the last: 8-22")},
    {.id = F_LENGTH, .label = N_("Minutes each"), .kind = FIELD_NUMBER, .flags = FIELD_REQUIRED | FIELD_SAME_LINE | FIELD_WATCH, .width_cells = 5, .max_chars = 4},
    {.id = F_PLACES, .label = N_("Places each"), .kind = FIELD_NUMBER, .flags = FIELD_REQUIRED, .width_cells = 6, .max_chars = 5, .hint = N_("1 for a court; places of a lane or class; pieces of equipment")},
    {.id = F_PRICE, .label = N_("Price"), .kind = FIELD_MONEY, .flags = FIELD_REQUIRED | FIELD_SAME_LINE, .width_cells = 10, .hint = N_("For one place, where none of the lines below fits")},
    BAND_FIELDS(0, FIELD_GAP),
    BAND_FIELDS(1, 0),
    BAND_FIELDS(2, 0),
};

bool weekday_digits_parse(const char *text, unsigned *weekdays) {
    *weekdays = 0;
    for (; *text; text++) {
        if (*text == ' ')
            continue;
        if (*text < '1' || *text > '7')
            return false;
        *weekdays |= 1u << (*text - '1');
    }
    return true;
}

const char *weekday_digits_say(unsigned weekdays, char *out, size_t bytes) {
    const day_t monday = 4; /* 1970-01-05 */
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < 7; i++)
        if (weekdays & (1u << i) && used < bytes)
            used += (size_t)snprintf(out + used, bytes - used, "%s%s", used ? " " : "", day_weekday_name(monday + i));
    if (weekdays == 0)
        cut_copy(out, bytes, C_("weekdays", "every day"));
    return out;
}

static void fill(struct form *form, void *work) {
    struct make_arg *arg = work;
    struct choice venues[VENUES_MOST];
    char id[VENUES_MOST][24];
    for (size_t i = 0; i < arg->venues.count; i++) {
        snprintf(id[i], sizeof id[i], "%lld", (long long)arg->venues.rows[i].id);
        venues[i] = (struct choice){id[i], arg->venues.rows[i].name};
    }
    form_choices(form, F_VENUE, venues, arg->venues.count);
    for (size_t i = 0; i < arg->venues.count; i++)
        if (arg->venues.rows[i].id == arg->like.venue_id)
            form_set(form, F_VENUE, id[i]);
    char from[HHMM_TEXT], to[HHMM_TEXT], hours[24];
    if (arg->like.day != DAY_NONE) {
        form_set_day(form, F_FROM, arg->like.day);
        form_set_day(form, F_TO, arg->like.day + 6);
    }
    snprintf(hours, sizeof hours, "%s-%s", minute_text(arg->like.open_minute, from), minute_text(arg->like.close_minute, to));
    form_set(form, F_HOURS, hours);
    form_set_number(form, F_LENGTH, arg->like.length_minutes);
    form_set_number(form, F_PLACES, arg->like.places);
    if (arg->like.price_fen >= 0)
        form_set_fen(form, F_PRICE, arg->like.price_fen);
}

static const char *venue_form(const struct make_arg *arg, int64_t venue_id) {
    for (size_t i = 0; i < arg->venues.count; i++)
        if (arg->venues.rows[i].id == venue_id)
            return arg->venues.rows[i].form;
    return "";
}

static long count_days(day_t from, day_t to, unsigned weekdays) {
    long days = 0;
    for (day_t day = from; day != DAY_NONE && to != DAY_NONE && day <= to && day - from < 400; day++)
        days += weekdays == 0 || (weekdays & (1u << (day_weekday(day) - 1)));
    return days;
}

/* What would be made, said beside the hours while the form is filled in. */
static void changed(struct form *form, int id, void *work) {
    struct make_arg *arg = work;
    unsigned weekdays = 0;
    char text[120];
    int from = 0, to = 0, length = atoi(form_text(form, F_LENGTH));
    struct fd_error err;
    day_t first, last;
    (void)id;
    if (weekday_digits_parse(form_text(form, F_WEEKDAYS), &weekdays))
        form_aside(form, F_WEEKDAYS, STYLE_DIM, weekday_digits_say(weekdays, text, sizeof text));
    bool daily = strcmp(venue_form(arg, atoll(form_text(form, F_VENUE))), "DAILY") == 0;
    form_enable(form, F_LENGTH, !daily);
    form_aside(form, F_LENGTH, STYLE_DIM, "");
    if (span_parse(form_text(form, F_HOURS), "", &from, &to, &err) != FD_OK || (length < 1 && !daily) || to <= from)
        return;
    if (day_parse(form_text(form, F_FROM), "", arg->like.day, &first, &err) != FD_OK || day_parse(form_text(form, F_TO), "", arg->like.day, &last, &err) != FD_OK)
        return;
    long days = count_days(first, last, weekdays), each = daily ? 1 : (to - from) / length;
    snprintf(text, sizeof text, _("%ld days × %ld = %ld slots"), days, each, days * each);
    form_aside(form, F_LENGTH, STYLE_INFO, text);
}

static bool refuse(struct form *form, int field, const char *sentence) {
    form_error(form, field, sentence);
    form_focus(form, field);
    return false;
}

static bool take_bands(struct form *form, struct make_arg *arg) {
    arg->plan.band_count = 0;
    for (int i = 0; i < BANDS; i++) {
        struct price_band band = {.from_minute = form_minute(form, BAND_HOURS(i)), .to_minute = form_minute_to(form, BAND_HOURS(i)), .price_fen = form_fen(form, BAND_PRICE(i))};
        if (!weekday_digits_parse(form_text(form, BAND_WEEKDAYS(i)), &band.weekdays))
            return refuse(form, BAND_WEEKDAYS(i), _("Weekdays are digits 1 (Monday) to 7 (Sunday)."));
        if (form_is_empty(form, BAND_HOURS(i)) && form_is_empty(form, BAND_PRICE(i)))
            continue;
        if (form_is_empty(form, BAND_PRICE(i)))
            return refuse(form, BAND_PRICE(i), _("Which price?"));
        if (form_is_empty(form, BAND_HOURS(i))) {
            band.from_minute = 0;
            band.to_minute = 1440;
        }
        arg->bands[arg->plan.band_count++] = band;
    }
    return true;
}

static bool take(struct form *form, void *work) {
    struct make_arg *arg = work;
    arg->plan = (struct slot_plan){
        .venue_id = atoll(form_text(form, F_VENUE)),
        .from = form_day(form, F_FROM),
        .to = form_day(form, F_TO),
        .open_minute = form_minute(form, F_HOURS),
        .close_minute = form_minute_to(form, F_HOURS),
        .length_minutes = (int)form_number(form, F_LENGTH),
        .total_count = form_number(form, F_PLACES),
        .price_fen = form_fen(form, F_PRICE),
    };
    if (arg->plan.length_minutes < 1 && strcmp(venue_form(arg, arg->plan.venue_id), "DAILY") == 0)
        arg->plan.length_minutes = 60; /* not asked for, one slot is the whole day */
    if (arg->plan.to < arg->plan.from)
        return refuse(form, F_TO, _("The last day is before the first."));
    if (!weekday_digits_parse(form_text(form, F_WEEKDAYS), &arg->plan.weekdays))
        return refuse(form, F_WEEKDAYS, _("Weekdays are digits 1 (Monday) to 7 (Sunday)."));
    if (count_days(arg->plan.from, arg->plan.to, arg->plan.weekdays) == 0)
        return refuse(form, F_WEEKDAYS, _("No day from the first to the last is one of these weekdays."));
    return take_bands(form, arg);
}

static enum fd_code run(struct desk *desk, void *work, struct fd_error *err) {
    struct make_arg *arg = work;
    arg->plan.bands = arg->bands; /* of this copy */
    return slot_generate(desk, arg->base.key, &arg->plan, &arg->base.arena, &arg->made, err);
}

static void told(struct view *view, struct dialog *dialog, int answer, void *context) {
    (void)view;
    (void)dialog;
    (void)answer;
    (void)context;
}

static void done(struct view *view, void *work) {
    const struct make_arg *arg = work;
    const struct slot_made *made = &arg->made;
    if (made->refused == 0) {
        app_message(view_app(view), MESSAGE_GOOD, _("%lld slots made, %lld existed already."), (long long)made->made, (long long)made->existed);
        return;
    }
    char *body = xprintf(_("%lld made, %lld existed already, %lld refused because they would overlap.\n%s"), (long long)made->made, (long long)made->existed,
                         (long long)made->refused, made->first_refusal ? made->first_refusal : "");
    view_dialog(view, dialog_tell(_("Slots made"), body), told, NULL);
    free(body);
}

static const struct ask_spec spec = {
    .title = N_("Make slots"),
    .intro = N_("Slots that exist already stay as they are; what would overlap is refused."),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .save = N_("Make the slots"),
    .working = N_("Making slots"),
    .fill = fill,
    .changed = changed,
    .take = take,
    .run = run,
    .done = done,
};

void slots_make_ask(struct view *view, const struct venue_names *venues, const struct slots_like *like) {
    struct make_arg *arg = work_new(sizeof *arg, NULL, NULL);
    arg->venues = *venues;
    arg->like = *like;
    ask_open(view, &spec, arg);
}
