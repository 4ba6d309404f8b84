/* Styles: what a cell means, not its colour. A theme gives each style a look; every state is also
 * a letter in the text, so a theme without colour loses nothing. */
#ifndef FD_TERM_STYLE_H
#define FD_TERM_STYLE_H

#include <stddef.h>
#include <stdint.h>

/* id, short name for style dumps (one ASCII letter, unique) */
#define STYLE_TABLE(X)                                                                             \
    X(STYLE_TEXT, '.')       /* ordinary text */                                                   \
    X(STYLE_DIM, 'd')        /* less important text */                                             \
    X(STYLE_STRONG, 'b')     /* names, totals */                                                   \
    X(STYLE_TITLE, 'T')      /* the top line */                                                    \
    X(STYLE_TAB, 't')        /* the second line: a screen's tab */                                 \
    X(STYLE_TAB_HERE, 'H')   /* the tab of the screen shown */                                     \
    X(STYLE_BAR_KEY, 'k')    /* key bar: "F1" */                                                   \
    X(STYLE_BAR_LABEL, 'l')  /* key bar: the label */                                              \
    X(STYLE_BAR_OFF, 'o')    /* key bar: not applicable now */                                     \
    X(STYLE_HEADER, 'h')     /* column titles */                                                   \
    X(STYLE_RULE, 'r')       /* lines and borders */                                               \
    X(STYLE_SELECT, 'S')     /* the bar under the cursor */                                        \
    X(STYLE_SELECT_OFF, 's') /* the same in a pane without the focus */                            \
    X(STYLE_MARK, 'm')       /* rows marked with Space */                                          \
    X(STYLE_MATCH, '/')      /* search hit */                                                      \
    X(STYLE_LABEL, 'L')      /* label of a field */                                                \
    X(STYLE_FIELD, 'f')      /* a field's content */                                               \
    X(STYLE_FIELD_HERE, 'F') /* the field with the focus */                                        \
    X(STYLE_BUTTON, 'u')     /* a button */                                                        \
    X(STYLE_BUTTON_HERE, 'U') /* the button with the focus */                                      \
    X(STYLE_ACCEL, 'a')      /* the letter that presses a button */                                \
    X(STYLE_DIALOG, 'D')     /* text of a popup */                                                 \
    X(STYLE_ERROR, 'E')      /* a refusal */                                                       \
    X(STYLE_WARN, 'W')       /* look at this */                                                    \
    X(STYLE_GOOD, 'G')       /* done */                                                            \
    X(STYLE_INFO, 'I')       /* what just happened */                                              \
    X(STYLE_BANNER, 'B')     /* the database is away */                                            \
    X(STYLE_CHANGED, 'c')    /* changed since the last look */                                     \
    X(STYLE_NOW, 'n')        /* the current hour */                                                \
    X(STYLE_FREE, '0')       /* states of a slot or an order: free */                              \
    X(STYLE_HELD, '1')       /* unpaid, held */                                                    \
    X(STYLE_PAID, '2')       /* paid */                                                            \
    X(STYLE_PRESENT, '3')    /* checked in */                                                      \
    X(STYLE_CLOSED, '4')     /* closed, out of use */                                              \
    X(STYLE_MISSED, '5')     /* no-show */                                                         \
    X(STYLE_OVER, '6')       /* cancelled, refunded, past */                                       \
    X(STYLE_MONEY, '$')      /* an amount */                                                       \
    X(STYLE_AMOUNT, 'A')     /* the amount to take now, in the largest place */                    \
    X(STYLE_SUCCESS, '!')    /* whole screen or line after a payment */                            \
    X(STYLE_PROGRESS, 'p')   /* filled part of a bar */                                            \
    X(STYLE_QR, 'Q')         /* black on white in every theme */

enum style {
#define X(id, letter) id,
    STYLE_TABLE(X)
#undef X
        STYLE_COUNT
};

/* What cells carry: a style and flags. */
typedef uint16_t style_t;
#define STYLE_ID         0x00ffu
#define STYLE_REVERSE    0x0100u
#define STYLE_BOLD       0x0200u
#define STYLE_UNDERLINE  0x0400u

/* Letter of a style in cells_dump_styles(). */
char style_letter(style_t style);

/* Attributes of a look. Colours: -1 the terminal's own, 0..7 the eight, 8..255 where there are
 * 256 (a terminal with fewer gets the theme "eight"). */
struct look {
    short fg, bg;
    unsigned char attr; /* LOOK_… */
};
enum { LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_UNDERLINE = 4, LOOK_REVERSE = 8 };

struct theme {
    const char *name;    /* "dark" … */
    const char *summary; /* msgid */
    int colours;         /* 0, 8 or 256: what the terminal must have */
    struct look look[STYLE_COUNT];
};
/* Themes: dark, light, eight, contrast, blind (blue and orange), mono. Static. */
size_t theme_count(void);
const struct theme *theme_at(size_t index);
/* NULL where there is none of that name. */
const struct theme *theme_named(const char *name);

#endif
