/* Requests: everything a key can ask for. One table makes the enum, the names, the help text and
 * the menu. A key gives a request through the view's key table, then the global one; the view
 * answers it first, the framework answers what the view leaves. A new request is one row here. */
#ifndef FD_WIDGET_REQUEST_H
#define FD_WIDGET_REQUEST_H

#include "base/i18n.h"

/* id, name (for tests and `:`), what it does */
#define REQUEST_TABLE(X)                                                                           \
    /* motion: lists, grids and help answer these */                                               \
    X(REQ_UP, "up", N_("Up one row"))                                                              \
    X(REQ_DOWN, "down", N_("Down one row"))                                                        \
    X(REQ_LEFT, "left", N_("To the left"))                                                         \
    X(REQ_RIGHT, "right", N_("To the right"))                                                      \
    X(REQ_PAGE_UP, "page-up", N_("Up one page"))                                                   \
    X(REQ_PAGE_DOWN, "page-down", N_("Down one page"))                                             \
    X(REQ_HOME, "home", N_("To the first row"))                                                    \
    X(REQ_END, "end", N_("To the last row"))                                                       \
    X(REQ_MARK, "mark", N_("Mark or extend"))                                                      \
    X(REQ_MARK_ALL, "mark-all", N_("Mark all shown"))                                              \
    X(REQ_OPEN, "open", N_("Open"))                                                                \
    X(REQ_SORT_LEFT, "sort-left", N_("Sort by the column to the left"))                            \
    X(REQ_SORT_RIGHT, "sort-right", N_("Sort by the column to the right"))                         \
    X(REQ_SORT_REVERSE, "sort-reverse", N_("Reverse the order"))                                   \
    X(REQ_SEARCH_NEXT, "search-next", N_("Next match"))                                            \
    X(REQ_SEARCH_PREV, "search-prev", N_("Previous match"))                                        \
    /* the ten function keys; a view gives them its own meaning in its key table */                \
    X(REQ_HELP, "help", N_("Help for this screen"))                                                \
    X(REQ_NEW, "new", N_("New booking here"))                                                      \
    X(REQ_FIND, "find", N_("Find"))                                                                \
    X(REQ_FILTER, "filter", N_("Filter the list"))                                                 \
    X(REQ_REFRESH, "refresh", N_("Read again"))                                                    \
    X(REQ_MOVE, "move", N_("Move or change"))                                                      \
    X(REQ_DATE, "date", N_("Go to a date"))                                                        \
    X(REQ_CANCEL, "cancel", N_("Cancel or refund"))                                                \
    X(REQ_MENU, "menu", N_("Menu of everything"))                                                  \
    X(REQ_QUIT, "quit", N_("Back, and leave at the first level"))                                  \
    X(REQ_DAY_PREV, "day-prev", N_("The day before"))                                              \
    X(REQ_DAY_NEXT, "day-next", N_("The day after"))                                               \
    X(REQ_TODAY, "today", N_("Today"))                                                             \
    /* the framework's */                                                                          \
    X(REQ_COMMAND, "command", N_("Command line"))                                                  \
    X(REQ_BACK, "back", N_("Back one level"))                                                      \
    X(REQ_SCREEN, "screen", N_("Go to a screen"))                                                  \
    X(REQ_PREVIOUS, "previous", N_("The screen before"))                                           \
    X(REQ_FOCUS_NEXT, "focus-next", N_("Next pane"))                                               \
    X(REQ_FOCUS_PREV, "focus-prev", N_("Previous pane"))                                           \
    X(REQ_PAUSE, "pause", N_("Stop or resume reading again by itself"))                            \
    X(REQ_MOUSE, "mouse", N_("Mouse on or off (off: the terminal selects text)"))                  \
    X(REQ_LOCK, "lock", N_("Lock this terminal"))                                                  \
    X(REQ_REDRAW, "redraw", N_("Draw the screen again"))                                           \
    X(REQ_STOP, "stop", N_("Stop the running work"))                                               \
    X(REQ_SUSPEND, "suspend", N_("Suspend to the shell"))                                          \
    X(REQ_SAVE, "save", N_("Save"))                                                                \
    X(REQ_LIST, "list", N_("List of values for this field"))                                       \
    X(REQ_CLEAR, "clear", N_("Clear the form"))                                                    \
    /* the business's */                                                                           \
    X(REQ_BOOK, "book", N_("Book"))                                                                \
    X(REQ_BOOK_PAY, "book-pay", N_("Book and take payment"))                                       \
    X(REQ_PAY, "pay", N_("Take payment"))                                                          \
    X(REQ_CHECK_IN, "check-in", N_("Check in"))                                                    \
    X(REQ_WHY, "why", N_("Why is it so"))                                                          \
    X(REQ_STORY, "story", N_("The whole story"))                                                   \
    X(REQ_BILL, "bill", N_("Show the bill"))                                                       \
    X(REQ_PRICE, "price", N_("Change the price"))                                                  \
    X(REQ_EXTEND, "extend", N_("Extend the time"))                                                 \
    X(REQ_QUANTITY, "quantity", N_("Change the quantity"))                                         \
    X(REQ_HOLD, "hold", N_("Hold for a short time"))                                               \
    X(REQ_CLOSE_SLOT, "close-slot", N_("Close the slot"))                                          \
    X(REQ_OPEN_SLOT, "open-slot", N_("Open the slot again"))                                       \
    X(REQ_GENERATE, "generate", N_("Make slots"))                                                  \
    X(REQ_NO_SHOW, "no-show", N_("Not come"))                                                      \
    X(REQ_RECEIPT, "receipt", N_("Receipt again"))                                                 \
    X(REQ_EDIT, "edit", N_("Change"))                                                              \
    X(REQ_ADD, "add", N_("Add"))                                                                   \
    X(REQ_REMOVE, "remove", N_("Take away"))                                                       \
    X(REQ_CUSTOMER, "customer", N_("The customer"))                                                \
    X(REQ_ORDERS, "orders", N_("The orders"))                                                      \
    X(REQ_PLACE, "place", N_("Choose the sport or place"))                                         \
    X(REQ_PASSWORD, "password", N_("Change the password"))                                         \
    X(REQ_UNLOCK, "unlock", N_("Unlock the operator"))                                             \
    X(REQ_DISABLE, "disable", N_("Disable"))                                                       \
    X(REQ_TENDER, "tender", N_("Choose how it is paid"))                                           \
    X(REQ_CHANNEL, "channel", N_("WeChat or Alipay"))                                              \
    X(REQ_SIZE, "size", N_("Large or small"))                                                      \
    X(REQ_FLIP, "flip", N_("Light and dark change places (terminals without colours)"))            \
    X(REQ_REFUND, "refund", N_("Give money back"))                                                 \
    X(REQ_TAKE, "take", N_("Take it over"))                                                        \
    X(REQ_CASH_IN, "cash-in", N_("Put cash in"))                                                   \
    X(REQ_CASH_OUT, "cash-out", N_("Take cash out"))                                               \
    X(REQ_UNPAID, "unpaid", N_("Only unpaid orders, and back"))                                    \
    X(REQ_RANGE, "range", N_("A range of slots: close, open or price"))

enum request {
    REQ_NONE = 0,
#define X(id, name, help) id,
    REQUEST_TABLE(X)
#undef X
        REQ_COUNT
};

/* Static; help is a msgid. REQ_NONE and anything else: "". */
const char *request_name(enum request request);
const char *request_help(enum request request);
/* REQ_NONE where there is no such name. */
enum request request_named(const char *name);

#endif
