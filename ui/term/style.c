#include "ui/term/style.h"
#include <string.h>
#include "base/i18n.h"

static const char letters[] = {
#define X(id, letter) letter,
    STYLE_TABLE(X)
#undef X
};

char style_letter(style_t style) {
    size_t id = style & STYLE_ID;
    return id < STYLE_COUNT ? letters[id] : '?';
}

#define B LOOK_BOLD
#define U LOOK_UNDERLINE
#define R LOOK_REVERSE
#define D LOOK_DIM

/* Colours have fixed meanings in each theme: one for the interface, then held, paid, present and
 * refused; the rest is grey. QR codes are black on white wherever there are colours. */
static const struct theme themes[] = {
    {"dark", N_("for terminals with a dark background"), 256, {
        [STYLE_TEXT] = {-1, -1, 0}, [STYLE_DIM] = {245, -1, 0}, [STYLE_STRONG] = {-1, -1, B},
        [STYLE_TITLE] = {255, 24, B}, [STYLE_TAB] = {250, 236, 0}, [STYLE_TAB_HERE] = {255, 31, B},
        [STYLE_BAR_KEY] = {255, -1, B}, [STYLE_BAR_LABEL] = {255, 24, 0}, [STYLE_BAR_OFF] = {243, 236, 0},
        [STYLE_HEADER] = {110, -1, B}, [STYLE_RULE] = {240, -1, 0}, [STYLE_SELECT] = {255, 25, B},
        [STYLE_SELECT_OFF] = {252, 238, 0}, [STYLE_MARK] = {222, -1, B}, [STYLE_MATCH] = {16, 222, 0},
        [STYLE_LABEL] = {110, -1, 0}, [STYLE_FIELD] = {252, 237, 0}, [STYLE_FIELD_HERE] = {255, 24, 0},
        [STYLE_BUTTON] = {252, 238, 0}, [STYLE_BUTTON_HERE] = {16, 117, B}, [STYLE_ACCEL] = {222, -1, U},
        [STYLE_DIALOG] = {-1, -1, 0}, [STYLE_ERROR] = {210, -1, B}, [STYLE_WARN] = {222, -1, B},
        [STYLE_GOOD] = {114, -1, B}, [STYLE_INFO] = {117, -1, 0}, [STYLE_BANNER] = {255, 124, B},
        [STYLE_CHANGED] = {-1, -1, B | U}, [STYLE_NOW] = {117, -1, B}, [STYLE_FREE] = {245, -1, 0},
        [STYLE_HELD] = {222, -1, 0}, [STYLE_PAID] = {114, -1, 0}, [STYLE_PRESENT] = {117, -1, 0},
        [STYLE_CLOSED] = {242, -1, 0}, [STYLE_MISSED] = {210, -1, 0}, [STYLE_OVER] = {242, -1, 0},
        [STYLE_MONEY] = {-1, -1, 0}, [STYLE_AMOUNT] = {255, -1, B}, [STYLE_SUCCESS] = {16, 114, B},
        [STYLE_PROGRESS] = {117, -1, 0}, [STYLE_QR] = {16, 231, 0}}},
    {"light", N_("for terminals with a light background"), 256, {
        [STYLE_TEXT] = {-1, -1, 0}, [STYLE_DIM] = {242, -1, 0}, [STYLE_STRONG] = {-1, -1, B},
        [STYLE_TITLE] = {231, 25, B}, [STYLE_TAB] = {238, 253, 0}, [STYLE_TAB_HERE] = {231, 31, B},
        [STYLE_BAR_KEY] = {16, -1, B}, [STYLE_BAR_LABEL] = {231, 25, 0}, [STYLE_BAR_OFF] = {246, 254, 0},
        [STYLE_HEADER] = {25, -1, B}, [STYLE_RULE] = {249, -1, 0}, [STYLE_SELECT] = {16, 153, B},
        [STYLE_SELECT_OFF] = {16, 252, 0}, [STYLE_MARK] = {130, -1, B}, [STYLE_MATCH] = {16, 222, 0},
        [STYLE_LABEL] = {25, -1, 0}, [STYLE_FIELD] = {16, 254, 0}, [STYLE_FIELD_HERE] = {16, 153, 0},
        [STYLE_BUTTON] = {16, 252, 0}, [STYLE_BUTTON_HERE] = {231, 25, B}, [STYLE_ACCEL] = {130, -1, U},
        [STYLE_DIALOG] = {-1, -1, 0}, [STYLE_ERROR] = {124, -1, B}, [STYLE_WARN] = {130, -1, B},
        [STYLE_GOOD] = {22, -1, B}, [STYLE_INFO] = {25, -1, 0}, [STYLE_BANNER] = {231, 124, B},
        [STYLE_CHANGED] = {-1, -1, B | U}, [STYLE_NOW] = {25, -1, B}, [STYLE_FREE] = {244, -1, 0},
        [STYLE_HELD] = {130, -1, 0}, [STYLE_PAID] = {22, -1, 0}, [STYLE_PRESENT] = {25, -1, 0},
        [STYLE_CLOSED] = {247, -1, 0}, [STYLE_MISSED] = {124, -1, 0}, [STYLE_OVER] = {247, -1, 0},
        [STYLE_MONEY] = {-1, -1, 0}, [STYLE_AMOUNT] = {16, -1, B}, [STYLE_SUCCESS] = {16, 114, B},
        [STYLE_PROGRESS] = {25, -1, 0}, [STYLE_QR] = {16, 231, 0}}},
    {"eight", N_("eight colours"), 8, {
        [STYLE_TEXT] = {-1, -1, 0}, [STYLE_DIM] = {-1, -1, D}, [STYLE_STRONG] = {-1, -1, B},
        [STYLE_TITLE] = {7, 4, B}, [STYLE_TAB] = {-1, -1, 0}, [STYLE_TAB_HERE] = {0, 6, 0},
        [STYLE_BAR_KEY] = {-1, -1, B}, [STYLE_BAR_LABEL] = {0, 6, 0}, [STYLE_BAR_OFF] = {-1, -1, D},
        [STYLE_HEADER] = {6, -1, B}, [STYLE_RULE] = {-1, -1, D}, [STYLE_SELECT] = {7, 4, B},
        [STYLE_SELECT_OFF] = {0, 7, 0}, [STYLE_MARK] = {3, -1, B}, [STYLE_MATCH] = {0, 3, 0},
        [STYLE_LABEL] = {6, -1, 0}, [STYLE_FIELD] = {-1, -1, U}, [STYLE_FIELD_HERE] = {7, 4, 0},
        [STYLE_BUTTON] = {-1, -1, 0}, [STYLE_BUTTON_HERE] = {0, 6, 0}, [STYLE_ACCEL] = {3, -1, U},
        [STYLE_DIALOG] = {-1, -1, 0}, [STYLE_ERROR] = {1, -1, B}, [STYLE_WARN] = {3, -1, B},
        [STYLE_GOOD] = {2, -1, B}, [STYLE_INFO] = {6, -1, 0}, [STYLE_BANNER] = {7, 1, B},
        [STYLE_CHANGED] = {-1, -1, B | U}, [STYLE_NOW] = {6, -1, B}, [STYLE_FREE] = {-1, -1, D},
        [STYLE_HELD] = {3, -1, 0}, [STYLE_PAID] = {2, -1, 0}, [STYLE_PRESENT] = {6, -1, 0},
        [STYLE_CLOSED] = {-1, -1, D}, [STYLE_MISSED] = {1, -1, 0}, [STYLE_OVER] = {-1, -1, D},
        [STYLE_MONEY] = {-1, -1, 0}, [STYLE_AMOUNT] = {-1, -1, B}, [STYLE_SUCCESS] = {0, 2, 0},
        [STYLE_PROGRESS] = {6, -1, 0}, [STYLE_QR] = {0, 7, 0}}},
    {"contrast", N_("black and white with strong marks"), 8, {
        [STYLE_TEXT] = {7, 0, B}, [STYLE_DIM] = {7, 0, 0}, [STYLE_STRONG] = {7, 0, B},
        [STYLE_TITLE] = {0, 7, 0}, [STYLE_TAB] = {7, 0, B}, [STYLE_TAB_HERE] = {0, 7, 0},
        [STYLE_BAR_KEY] = {7, 0, B}, [STYLE_BAR_LABEL] = {0, 7, 0}, [STYLE_BAR_OFF] = {7, 0, 0},
        [STYLE_HEADER] = {7, 0, B | U}, [STYLE_RULE] = {7, 0, B}, [STYLE_SELECT] = {0, 3, 0},
        [STYLE_SELECT_OFF] = {0, 7, 0}, [STYLE_MARK] = {3, 0, B}, [STYLE_MATCH] = {0, 3, 0},
        [STYLE_LABEL] = {7, 0, B}, [STYLE_FIELD] = {7, 0, B | U}, [STYLE_FIELD_HERE] = {0, 3, 0},
        [STYLE_BUTTON] = {7, 0, B}, [STYLE_BUTTON_HERE] = {0, 3, 0}, [STYLE_ACCEL] = {3, 0, B | U},
        [STYLE_DIALOG] = {7, 0, B}, [STYLE_ERROR] = {3, 0, B}, [STYLE_WARN] = {3, 0, B},
        [STYLE_GOOD] = {7, 0, B}, [STYLE_INFO] = {7, 0, B}, [STYLE_BANNER] = {0, 3, 0},
        [STYLE_CHANGED] = {7, 0, B | U}, [STYLE_NOW] = {3, 0, B}, [STYLE_FREE] = {7, 0, 0},
        [STYLE_HELD] = {3, 0, B}, [STYLE_PAID] = {7, 0, B}, [STYLE_PRESENT] = {6, 0, B},
        [STYLE_CLOSED] = {7, 0, 0}, [STYLE_MISSED] = {3, 0, B}, [STYLE_OVER] = {7, 0, 0},
        [STYLE_MONEY] = {7, 0, B}, [STYLE_AMOUNT] = {3, 0, B}, [STYLE_SUCCESS] = {0, 7, 0},
        [STYLE_PROGRESS] = {3, 0, B}, [STYLE_QR] = {0, 7, 0}}},
    {"blind", N_("blue and orange: for people who do not tell red from green"), 256, {
        [STYLE_TEXT] = {-1, -1, 0}, [STYLE_DIM] = {245, -1, 0}, [STYLE_STRONG] = {-1, -1, B},
        [STYLE_TITLE] = {255, 24, B}, [STYLE_TAB] = {250, 236, 0}, [STYLE_TAB_HERE] = {255, 31, B},
        [STYLE_BAR_KEY] = {255, -1, B}, [STYLE_BAR_LABEL] = {255, 24, 0}, [STYLE_BAR_OFF] = {243, 236, 0},
        [STYLE_HEADER] = {110, -1, B}, [STYLE_RULE] = {240, -1, 0}, [STYLE_SELECT] = {255, 25, B},
        [STYLE_SELECT_OFF] = {252, 238, 0}, [STYLE_MARK] = {214, -1, B}, [STYLE_MATCH] = {16, 214, 0},
        [STYLE_LABEL] = {110, -1, 0}, [STYLE_FIELD] = {252, 237, 0}, [STYLE_FIELD_HERE] = {255, 24, 0},
        [STYLE_BUTTON] = {252, 238, 0}, [STYLE_BUTTON_HERE] = {16, 117, B}, [STYLE_ACCEL] = {214, -1, U},
        [STYLE_DIALOG] = {-1, -1, 0}, [STYLE_ERROR] = {208, -1, B}, [STYLE_WARN] = {214, -1, B},
        [STYLE_GOOD] = {75, -1, B}, [STYLE_INFO] = {117, -1, 0}, [STYLE_BANNER] = {16, 208, B},
        [STYLE_CHANGED] = {-1, -1, B | U}, [STYLE_NOW] = {117, -1, B}, [STYLE_FREE] = {245, -1, 0},
        [STYLE_HELD] = {214, -1, 0}, [STYLE_PAID] = {75, -1, 0}, [STYLE_PRESENT] = {153, -1, B},
        [STYLE_CLOSED] = {242, -1, 0}, [STYLE_MISSED] = {208, -1, B}, [STYLE_OVER] = {242, -1, 0},
        [STYLE_MONEY] = {-1, -1, 0}, [STYLE_AMOUNT] = {255, -1, B}, [STYLE_SUCCESS] = {16, 75, B},
        [STYLE_PROGRESS] = {75, -1, 0}, [STYLE_QR] = {16, 231, 0}}},
    {"mono", N_("no colour"), 0, {
        [STYLE_TEXT] = {-1, -1, 0}, [STYLE_DIM] = {-1, -1, 0}, [STYLE_STRONG] = {-1, -1, B},
        [STYLE_TITLE] = {-1, -1, R}, [STYLE_TAB] = {-1, -1, 0}, [STYLE_TAB_HERE] = {-1, -1, R},
        [STYLE_BAR_KEY] = {-1, -1, B}, [STYLE_BAR_LABEL] = {-1, -1, R}, [STYLE_BAR_OFF] = {-1, -1, D},
        [STYLE_HEADER] = {-1, -1, B}, [STYLE_RULE] = {-1, -1, 0}, [STYLE_SELECT] = {-1, -1, R},
        [STYLE_SELECT_OFF] = {-1, -1, U}, [STYLE_MARK] = {-1, -1, B}, [STYLE_MATCH] = {-1, -1, R},
        [STYLE_LABEL] = {-1, -1, 0}, [STYLE_FIELD] = {-1, -1, U}, [STYLE_FIELD_HERE] = {-1, -1, B | U},
        [STYLE_BUTTON] = {-1, -1, 0}, [STYLE_BUTTON_HERE] = {-1, -1, R}, [STYLE_ACCEL] = {-1, -1, U},
        [STYLE_DIALOG] = {-1, -1, 0}, [STYLE_ERROR] = {-1, -1, B}, [STYLE_WARN] = {-1, -1, B},
        [STYLE_GOOD] = {-1, -1, B}, [STYLE_INFO] = {-1, -1, 0}, [STYLE_BANNER] = {-1, -1, R | B},
        [STYLE_CHANGED] = {-1, -1, B | U}, [STYLE_NOW] = {-1, -1, B}, [STYLE_FREE] = {-1, -1, 0},
        [STYLE_HELD] = {-1, -1, B}, [STYLE_PAID] = {-1, -1, 0}, [STYLE_PRESENT] = {-1, -1, 0},
        [STYLE_CLOSED] = {-1, -1, D}, [STYLE_MISSED] = {-1, -1, B}, [STYLE_OVER] = {-1, -1, D},
        [STYLE_MONEY] = {-1, -1, 0}, [STYLE_AMOUNT] = {-1, -1, B}, [STYLE_SUCCESS] = {-1, -1, R | B},
        [STYLE_PROGRESS] = {-1, -1, R}, [STYLE_QR] = {-1, -1, R}}},
};

size_t theme_count(void) {
    return sizeof themes / sizeof themes[0];
}

const struct theme *theme_at(size_t index) {
    return &themes[index];
}

const struct theme *theme_named(const char *name) {
    for (size_t i = 0; i < theme_count(); i++)
        if (strcmp(themes[i].name, name) == 0)
            return &themes[i];
    return NULL;
}
