/* Everything a person can do with venues, slots and their orders: one row each. Source: domain
 * section 2. */
#include "venue/actions.h"

#include <stddef.h>

#define END_PARAMS                                                                                                     \
    {                                                                                                                  \
        NULL, P_TEXT, 0, NULL, NULL                                                                                    \
    }
#define END_COLUMNS                                                                                                    \
    {                                                                                                                  \
        NULL, NULL, 0, false                                                                                           \
    }

#define TENDER_PARAMS                                                                                                  \
    {"cash", P_MONEY, 0, NULL, N_("paid in cash: what is handed over, yuan")},                                         \
        {"card", P_TEXT, 0, NULL, N_("paid by card: the slip's reference")},                                           \
        {"transfer", P_TEXT, 0, NULL, N_("paid by bank transfer: its reference")},                                     \
        {"static", P_TEXT, 0, NULL, N_("paid by the static code: its reference")},                                     \
        {"voucher", P_TEXT, 0, NULL, N_("paid by a group-buying voucher: its number")},                                \
    {                                                                                                                  \
        "check-in", P_SWITCH, 0, NULL, N_("and in, in the same step")                                                  \
    }

#define SETTLE_PARAMS                                                                                                  \
    {"due", P_SWITCH, 0, NULL, N_("what it costs more stays due, to be paid later")},                                  \
        {"back-cash", P_SWITCH, 0, NULL, N_("money back in cash, although it came another way (finance)")},            \
        {"back-reference", P_TEXT, 0, NULL, N_("number of the card refund's slip")},                                   \
    {                                                                                                                  \
        "approval", P_INT, 0, NULL, N_("a second person's approval")                                                   \
    }

#define RANGE_PARAMS                                                                                                   \
    {"slot", P_IDS, 0, NULL, N_("slots by id, like 1024,1025")},                                                       \
        {"venue", P_TEXT, 0, NULL, N_("venue: #id or name; without it all")},                                          \
        {"date", P_DATE, 0, NULL, N_("one day")}, {"from", P_DATE, 0, NULL, N_("first day")},                          \
        {"to", P_DATE, 0, NULL, N_("last day")},                                                                       \
        {"time", P_SPAN, 0, NULL, N_("only slots that touch these hours, like 18-22")},                                \
    {                                                                                                                  \
        "weekdays", P_TEXT, 0, NULL, N_("only these weekdays, like 1-5 or sat,sun")                                    \
    }

static const struct action_param venue_list_params[] = {
    {"sport", P_TEXT, 0, NULL, N_("only this sport")},
    {"all", P_SWITCH, 0, NULL, N_("also those out of use")},
    END_PARAMS,
};
static const struct column venue_list_columns[] = {
    {"id", NC_("column", "id"), 1, false},
    {"name", NC_("column", "name"), -1, false},
    {"sport", NC_("column", "sport"), -1, false},
    {"form", NC_("column", "form"), -1, false},
    {"max_people", NC_("column", "people"), 1, false},
    {"sort_order", NC_("column", "sort"), 1, false},
    {"in_use", NC_("column", "in use"), -1, false},
    END_COLUMNS,
};
static const struct action_param venue_add_params[] = {
    {"name", P_TEXT, P_REQUIRED, NULL, N_("name as shown")},
    {"sport", P_TEXT, P_REQUIRED, NULL, N_("sport: badminton, tennis …")},
    {"form", P_CHOICE, 0, "COURT|PLACE|HOURLY|DAILY",
     N_("COURT one party a slot, PLACE places, HOURLY or DAILY equipment (COURT)")},
    {"address", P_TEXT, P_EMPTY, NULL, N_("street address")},
    {"people", P_INT, 0, NULL, N_("people allowed at once")},
    {"sort", P_INT, 0, NULL, N_("order of columns in the day grid")},
    END_PARAMS,
};
static const struct action_param venue_change_params[] = {
    {"venue", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL, N_("venue: #id or name")},
    {"name", P_TEXT, 0, NULL, N_("name as shown")},
    {"sport", P_TEXT, 0, NULL, N_("sport")},
    {"form", P_CHOICE, 0, "COURT|PLACE|HOURLY|DAILY", N_("form of its stock; not while slots from today on exist")},
    {"address", P_TEXT, P_EMPTY, NULL, N_("street address")},
    {"people", P_INT, 0, NULL, N_("people allowed at once")},
    {"sort", P_INT, 0, NULL, N_("order of columns in the day grid")},
    {"in-use", P_CHOICE, 0, "yes|no", N_("whether it can be booked")},
    END_PARAMS,
};

static const struct action_param slot_list_params[] = {
    {"date", P_DATE, 0, NULL, N_("day (today)")},
    {"sport", P_TEXT, 0, NULL, N_("only this sport")},
    {"venue", P_TEXT, 0, NULL, N_("only this venue: #id or name")},
    {"free", P_SWITCH, 0, NULL, N_("only what can be booked now")},
    END_PARAMS,
};
static const struct column slot_list_columns[] = {
    {"id", NC_("column", "id"), 1, false},
    {"venue", NC_("column", "venue"), -1, false},
    {"date", NC_("column", "date"), -1, false},
    {"start", NC_("column", "from"), -1, false},
    {"end", NC_("column", "to"), -1, false},
    {"remain_count", NC_("column", "left"), 1, false},
    {"total_count", NC_("column", "of"), 1, false},
    {"price_fen", NC_("column", "price"), 1, true},
    {"status", NC_("column", "status"), -1, false},
    {"close_reason", NC_("column", "reason"), -1, false},
    END_COLUMNS,
};
static const struct action_param slot_generate_params[] = {
    {"venue", P_TEXT, P_REQUIRED, NULL, N_("venue: #id or name")},
    {"from", P_DATE, 0, NULL, N_("first day (today)")},
    {"to", P_DATE, 0, NULL, N_("last day (the first)")},
    {"weekdays", P_TEXT, 0, NULL, N_("only these weekdays, like 1-5 or sat,sun")},
    {"hours", P_SPAN, 0, NULL, N_("opening hours, like 8-22; for equipment by the day the whole day")},
    {"length", P_INT, 0, NULL, N_("minutes of a slot (60)")},
    {"places", P_INT, 0, NULL, N_("places of a slot; a court has 1")},
    {"price", P_MONEY, P_REQUIRED, NULL, N_("yuan for one place")},
    {"bands", P_TEXT, 0, NULL, N_("other prices by time of day, like 18-22=80,sat-sun:8-22=90")},
    END_PARAMS,
};
static const struct action_param slot_close_params[] = {RANGE_PARAMS, END_PARAMS};
static const struct column slot_close_columns[] = {
    {"order_no", NC_("column", "order"), -1, false},
    {"venue", NC_("column", "venue"), -1, false},
    {"date", NC_("column", "date"), -1, false},
    {"start", NC_("column", "from"), -1, false},
    {"customer", NC_("column", "customer"), -1, false},
    {"phone", NC_("column", "phone"), -1, false},
    {"status", NC_("column", "status"), -1, false},
    {"amount_fen", NC_("column", "amount"), 1, true},
    END_COLUMNS,
};
static const struct action_param slot_price_params[] = {
    RANGE_PARAMS,
    {"price", P_MONEY, P_REQUIRED, NULL, N_("yuan for one place from now on")},
    END_PARAMS,
};

static const struct action_param day_show_params[] = {
    {"day", P_DATE, P_POSITIONAL, NULL, N_("day (today)")},
    {"date", P_DATE, 0, NULL, N_("the same as a flag")},
    {"sport", P_TEXT, 0, NULL, N_("sport (the first)")},
    {"all-sports", P_SWITCH, 0, NULL, N_("every sport, one below the other")},
    END_PARAMS,
};

static const struct action_param order_book_params[] = {
    {"slot", P_TEXT, 0, NULL, N_("slots by id, with a quantity where it is not --quantity: 1024,1025:2")},
    {"quantity", P_INT, 0, NULL, N_("places of each slot (1)")},
    {"any-of", P_TEXT, 0, NULL, N_("any free one: venue=SPORT or the beginning of a name")},
    {"date", P_DATE, 0, NULL, N_("with --any-of: day (today)")},
    {"time", P_TEXT, 0, NULL, N_("with --any-of: start, or from-to")},
    {"phone", P_PHONE, 0, NULL, N_("customer's phone; without it a walk-in, paid at once")},
    {"name", P_TEXT, P_EMPTY, NULL, N_("customer's name")},
    {"note", P_TEXT, P_EMPTY, NULL, N_("remark")},
    {"price", P_MONEY, 0, NULL, N_("price of one place that was seen; refused where it is another now")},
    {"hold", P_TEXT, 0, NULL, N_("until when unpaid: minutes, before (the start) or start")},
    TENDER_PARAMS,
    {"wechat", P_SWITCH, 0, NULL, N_("paid by WeChat: opens the payment code")},
    {"alipay", P_SWITCH, 0, NULL, N_("paid by Alipay: opens the payment code")},
    END_PARAMS,
};
static const struct action_param order_number_params[] = {
    {"number", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL, N_("order number, or its last 4 characters")},
    END_PARAMS,
};
static const struct action_param order_cancel_params[] = {
    {"number", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL, N_("order number, or its last 4 characters")},
    {"cash", P_SWITCH, 0, NULL, N_("in cash, although it came another way (finance, with a reason)")},
    {"reference", P_TEXT, 0, NULL, N_("number of the card refund's slip")},
    {"approval", P_INT, 0, NULL, N_("a second person's approval")},
    END_PARAMS,
};
static const struct action_param order_check_in_params[] = {
    {"number", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL,
     N_("order number, its last 4 characters, or the last 4 digits of the phone")},
    END_PARAMS,
};
static const struct action_param order_list_params[] = {
    {"date", P_DATE, 0, NULL, N_("day of play")},
    {"from", P_DATE, 0, NULL, N_("first day of play")},
    {"to", P_DATE, 0, NULL, N_("last day of play")},
    {"phone", P_PHONE, 0, NULL, N_("whole phone")},
    {"phone-tail", P_TEXT, 0, NULL, N_("last 4 digits of the phone")},
    {"number", P_TEXT, 0, NULL, N_("order number or its end")},
    {"name", P_TEXT, 0, NULL, N_("beginning of the name, or pinyin initials")},
    {"status", P_TEXT, 0, NULL, N_("states, like PENDING_PAY,PAID")},
    {"venue", P_TEXT, 0, NULL, N_("venue: #id or name")},
    {"by-operator", P_TEXT, 0, NULL, N_("who made it; - is online")},
    {"limit", P_INT, 0, NULL, N_("rows a page, at most 500 (50)")},
    {"after", P_TEXT, 0, NULL, N_("next page: cursor of the last row seen")},
    END_PARAMS,
};
static const struct column order_list_columns[] = {
    {"order_no", NC_("column", "order"), -1, false},  {"date", NC_("column", "date"), -1, false},
    {"start", NC_("column", "from"), -1, false},      {"end", NC_("column", "to"), -1, false},
    {"venue", NC_("column", "venue"), -1, false},     {"customer", NC_("column", "customer"), -1, false},
    {"phone", NC_("column", "phone"), -1, false},     {"status_text", NC_("column", "status"), -1, false},
    {"amount_fen", NC_("column", "amount"), 1, true}, END_COLUMNS,
};
static const struct action_param order_change_params[] = {
    {"number", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL, N_("order number, or its last 4 characters")},
    {"quantity", P_INT, 0, NULL, N_("new number of places")},
    {"note", P_TEXT, P_EMPTY, NULL, N_("new remark; empty removes it")},
    {"extend", P_SWITCH, 0, NULL, N_("the next slot too, as a second order of the same bill")},
    TENDER_PARAMS,
    SETTLE_PARAMS,
    END_PARAMS,
};
static const struct action_param order_move_params[] = {
    {"number", P_TEXT, P_REQUIRED | P_POSITIONAL, NULL, N_("order number, or its last 4 characters")},
    {"slot", P_INT, P_REQUIRED, NULL, N_("slot that it moves to")},
    TENDER_PARAMS,
    SETTLE_PARAMS,
    END_PARAMS,
};
static const struct action_param why_slot_params[] = {
    {"id", P_INT, P_REQUIRED | P_POSITIONAL, NULL, N_("slot id")},
    END_PARAMS,
};
static const struct action_param why_day_params[] = {
    {"date", P_DATE, P_POSITIONAL, NULL, N_("day (today)")},
    END_PARAMS,
};

#define READ  (A_OPERATOR | A_CONSOLE)
#define WRITE (A_OPERATOR | A_WRITE | A_CONSOLE)

const struct action venue_actions[] = {
    {"venue", "list", NULL, N_("list venues"), NULL, venue_list_params, venue_list_columns, READ, "clerk finance admin",
     venue_list_run},
    {"venue", "add", NULL, N_("add a venue"), NULL, venue_add_params, NULL, WRITE, "admin", venue_add_run},
    {"venue", "change", NULL, N_("change a venue"), NULL, venue_change_params, NULL, WRITE, "admin", venue_change_run},
    {"slot", "list", "sl", N_("list the slots of a day"), NULL, slot_list_params, slot_list_columns, READ,
     "clerk finance admin kiosk", slot_list_run},
    {"slot", "generate", NULL, N_("make slots in bulk; what exists already stays"), NULL, slot_generate_params, NULL,
     WRITE, "admin", slot_generate_run},
    {"slot", "close", NULL, N_("close slots; their orders stay valid and are listed"), NULL, slot_close_params,
     slot_close_columns, WRITE | A_REASON, "clerk admin", slot_close_run},
    {"slot", "open", NULL, N_("open closed slots"), NULL, slot_close_params, NULL, WRITE, "clerk admin", slot_open_run},
    {"slot", "price", NULL, N_("change the price of slots for later orders"), NULL, slot_price_params, NULL, WRITE,
     "admin", slot_price_run},
    {"day", "show", "d", N_("show the day grid"), NULL, day_show_params, NULL, READ, "clerk finance admin",
     day_show_run},
    {"order", "book", "bk", N_("book one or more slots, all or nothing"), NULL, order_book_params, NULL, WRITE,
     "clerk admin", order_book_run},
    {"order", "show", "o", N_("show an order with its payments and its story"), NULL, order_number_params, NULL, READ,
     "clerk finance admin", order_show_run},
    {"order", "list", "ol", N_("search orders"), NULL, order_list_params, order_list_columns, READ,
     "clerk finance admin", order_list_run},
    {"order", "change", "ch", N_("change quantity or note of an order, or extend it"), NULL, order_change_params, NULL,
     WRITE, "clerk admin", order_change_run},
    {"order", "move", "mv", N_("move an order to another slot"), NULL, order_move_params, NULL, WRITE, "clerk admin",
     order_move_run},
    {"order", "cancel", "cx", N_("cancel an order; what was paid goes back"),
     N_("Paid: in the free window, later with a permission and a reason."), order_cancel_params, NULL, WRITE,
     "clerk admin", order_cancel_run},
    {"order", "check-in", "ci", N_("let the customer in"), NULL, order_check_in_params, NULL, WRITE,
     "clerk admin kiosk", order_check_in_run},
    {"why", "slot", "ws", N_("why can this slot (not) be booked"), NULL, why_slot_params, NULL, READ,
     "clerk finance admin", why_slot_run},
    {"why", "order", "w", N_("why is this order in this state"), NULL, order_number_params, NULL, READ,
     "clerk finance admin", why_order_run},
    {"why", "day", "wd", N_("how much was sold on that day"), NULL, why_day_params, NULL, READ, "clerk finance admin",
     why_day_run},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL},
};

void venue_register(void)
{
    order_kind_register(&venue_kind);
    action_register(venue_actions);
}
