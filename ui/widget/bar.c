#include "ui/widget/bar.h"
#include <stdio.h>
#include <string.h>
#include "base/text.h"

#define SPINNER_MS  150  /* work younger than this shows nothing */
#define PROGRESS_MS 1000 /* older work shows a bar */
#define BAR_CELLS   10
#define FRAME_MS    120

void bar_title(struct cells *cells, const char *left, const char *right) {
    int wide = right ? text_width(right) : 0, room = cells->columns;
    cells_fill(cells, 0, 0, 1, cells->columns, STYLE_TITLE);
    if (wide > 0) {
        int at = cells->columns - wide - 1;
        cells_text(cells, 0, at < 1 ? 1 : at, STYLE_TITLE, right);
        room = at - 1;
    }
    if (room > 1)
        cells_put(cells, 0, 1, room - 1, -1, STYLE_TITLE, left);
}

/* Where each tab is: the same walk for drawing and for the mouse. */
static int tab_cells(const char *label, size_t index) {
    return label ? text_width(label) + (index >= 9 ? 2 : 1) : 0;
}

void bar_tabs(struct cells *cells, const char *const *labels, size_t count, int here) {
    int at = 1;
    cells_fill(cells, 0, 0, 1, cells->columns, STYLE_TAB);
    for (size_t i = 0; i < count; i++) {
        style_t style = (int)i == here ? STYLE_TAB_HERE : STYLE_TAB;
        if (!labels[i])
            continue;
        cells_printf(cells, 0, at, style, "%zu%s", i + 1, labels[i]);
        at += tab_cells(labels[i], i) + 1;
    }
}

int bar_tab_at(const struct cells *cells, const char *const *labels, size_t count, int column) {
    int at = 1;
    (void)cells;
    for (size_t i = 0; i < count; i++) {
        int wide = tab_cells(labels[i], i);
        if (wide > 0 && column >= at && column < at + wide)
            return (int)i;
        at += wide > 0 ? wide + 1 : 0;
    }
    return -1;
}

void bar_keys_collect(struct bar_key keys[10], const struct keymap *view, const struct keymap *global,
                      bool (*can)(void *context, enum request request), void *context) {
    for (int i = 0; i < 10; i++) {
        const struct keybind *own = keymap_find(view, K_F(i + 1));
        const struct keybind *bind = own ? own : keymap_find(global, K_F(i + 1));
        keys[i] = (struct bar_key){NULL, REQ_NONE, false};
        if (!bind || bind->request == REQ_NONE || !bind->label)
            continue;
        bool off = can && !can(context, bind->request);
        if (off && !own)
            continue; /* another screen's key */
        keys[i] = (struct bar_key){i18n_label(bind->label), bind->request, off};
    }
}

/* Where each key stands: a tenth of the row each, but where a long label would touch the next key that one stands further
 * right; the last ones make room as far as they can. start[10] is the end. */
static void key_starts(const struct cells *cells, const struct bar_key keys[10], int start[11]) {
    int need[10];
    for (int i = 0; i < 10; i++)
        need[i] = (i < 9 ? 2 : 3) + (keys[i].label ? text_width(keys[i].label) : 0) + (i < 9);
    for (int i = 0, at = 0; i < 10; i++) {
        int tenth = i * cells->columns / 10;
        start[i] = at > tenth ? at : tenth;
        at = start[i] + need[i];
    }
    start[10] = cells->columns;
    for (int i = 9; i >= 0 && start[i] + need[i] > start[i + 1]; i--)
        start[i] = start[i + 1] - need[i];
    /* No room for all of them: each its tenth, cut. */
    for (int i = 0; i < 10 && start[0] < 0; i++)
        if (i == 9)
            for (int k = 0; k < 10; k++)
                start[k] = k * cells->columns / 10;
}

void bar_keys(struct cells *cells, const struct bar_key keys[10]) {
    char name[16];
    int start[11];
    key_starts(cells, keys, start);
    cells_fill(cells, 0, 0, 1, cells->columns, STYLE_TEXT);
    for (int i = 0; i < 10; i++) {
        int at = start[i], end = start[i + 1];
        snprintf(name, sizeof name, "F%d", i + 1);
        int used = cells_text(cells, 0, at, STYLE_BAR_KEY, name);
        style_t style = !keys[i].label ? STYLE_TEXT : keys[i].off ? STYLE_BAR_OFF : STYLE_BAR_LABEL;
        int room = end - at - used;
        if (room > KEYBAR_CELLS + 1)
            room = KEYBAR_CELLS + 1;
        else if (cells->columns > 80)
            room--;
        if (room > 0)
            cells_put(cells, 0, at + used, room, -1, style, keys[i].label ? keys[i].label : "");
    }
}

int bar_key_at(const struct cells *cells, const struct bar_key keys[10], int column) {
    int start[11];
    key_starts(cells, keys, start);
    for (int i = 0; i < 10; i++)
        if (column >= start[i] && column < start[i + 1])
            return i + 1;
    return 0;
}

void bar_message(struct cells *cells, enum message_kind kind, const char *text, const char *hint) {
    static const style_t styles[] = {
        [MESSAGE_INFO] = STYLE_INFO, [MESSAGE_GOOD] = STYLE_GOOD, [MESSAGE_WARN] = STYLE_WARN, [MESSAGE_ERROR] = STYLE_ERROR};
    int at = 1;
    if (kind == MESSAGE_ERROR || kind == MESSAGE_WARN)
        at += cells_text(cells, 0, at, styles[kind], "! ");
    int wide = text_width(text), room = cells->columns - at;
    if (wide > room) {
        cells_put(cells, 0, at, room, -1, styles[kind], text);
        return;
    }
    at += cells_text(cells, 0, at, styles[kind], text);
    if (hint && *hint && at + 2 < cells->columns)
        cells_put(cells, 0, at + 1, cells->columns - at - 1, -1, STYLE_DIM, hint);
}

/* "[####------] 61%  48200  21000/s  2 s" */
static void describe_progress(struct cells *cells, char *text, size_t bytes, int64_t age_ms, int64_t done, int64_t total) {
    char bar[BAR_CELLS * 4 + 1] = "";
    int64_t share = done >= total ? 100 : done * 100 / total, rate = done * 1000 / age_ms;
    int64_t left_s = rate > 0 ? (total - done + rate - 1) / rate : 0;
    for (int i = 0; i < BAR_CELLS; i++)
        strcat(bar, cells_symbol(cells, i * 100 < share * BAR_CELLS ? SYMBOL_FULL : SYMBOL_LIGHT));
    /* TRANSLATORS: progress: bar, percent, done so far, done in a second, seconds left */
    snprintf(text, bytes, _("%s %d%%  %lld  %lld/s  %lld s left"), bar, (int)share, (long long)done, (long long)rate,
             (long long)(left_s < 0 ? 0 : left_s));
}

int bar_work(struct cells *cells, const char *what, int64_t age_ms, int64_t done, int64_t total) {
    static const char frames[] = "|/-\\";
    char text[256], progress[160] = "";
    if (age_ms < SPINNER_MS)
        return 0;
    if (age_ms >= PROGRESS_MS && total > 0)
        describe_progress(cells, progress, sizeof progress, age_ms, done, total);
    else if (age_ms >= PROGRESS_MS)
        snprintf(progress, sizeof progress, "%lld s", (long long)(age_ms / 1000));
    snprintf(text, sizeof text, "%c %s %s", frames[age_ms / FRAME_MS % 4], what, progress);
    int wide = text_width(text);
    if (wide > cells->columns)
        wide = cells->columns;
    cells_put(cells, 0, cells->columns - wide, wide, -1, STYLE_INFO, text);
    return wide;
}

void bar_banner(struct cells *cells, const char *sentence, int attempt, int64_t away_ms) {
    char text[512];
    /* TRANSLATORS: sentence, number of the attempt, seconds */
    snprintf(text, sizeof text, _("%s Trying again (attempt %d, away for %lld s)"), sentence, attempt,
             (long long)(away_ms / 1000));
    cells_fill(cells, 0, 0, 1, cells->columns, STYLE_BANNER);
    cells_put(cells, 0, 1, cells->columns - 2, -1, STYLE_BANNER, text);
}
