/* What the files of the payment code's screen share. */
#ifndef FD_VIEW_QR_INTERNAL_H
#define FD_VIEW_QR_INTERNAL_H

#include "money/code.h"
#include "outside/qr.h"
#include "ui/view/parts.h"
#include "ui/widget/qr.h"

enum qr_stage {
    QR_OPENING, /* the channel is asked for a code */
    QR_SHOWN,   /* the customer may scan; or the channel has not said yet what became of it */
    QR_OVER,    /* no code any more: run out, closed elsewhere, refused */
    QR_GREEN    /* paid */
};

struct qr_state {
    enum qr_stage stage;
    enum channel_id channel;
    char number[NUMBER_BYTES];
    int64_t amount_fen; /* asked for; 0: all that is owed */
    struct arena arena; /* of title and lines */
    const char *title;
    struct pay_line *lines;
    size_t line_count;

    char key[KEY_BYTES];            /* of the code that is being opened */
    struct pay_code code;           /* the last answer; payment_id 0: none yet */
    struct arena drawing;           /* of qr */
    struct qr qr;                   /* size 0: nothing to show */
    char drawn[CHANNEL_CODE_BYTES]; /* what qr says */
    enum qr_setting setting;
    bool flip;                 /* without colours: light and dark change places */
    bool large, large_fits;    /* as it was drawn last */
    int64_t shown_ms, paid_ms; /* mono_ms(); 0 not yet */
    bool asking;               /* a poll is on its way */
    bool printed;              /* print only: the slip was queued by itself */
    char trouble[512], hint[256];
    enum tender tender; /* QR_TO_TENDER: which */
    char digit;
};

/* Seconds until the code is over by the database's clock, 0 where it is or is not known. */
int64_t qr_left_s(const struct view *view);
/* Seconds until the green screen goes away by itself, 0 where it is about to. */
int qr_green_left_s(const struct qr_state *state);
void qr_view_draw(struct view *view, struct cells *cells);
void qr_view_title(struct view *view, struct buf *text);

/* How codes are drawn at this terminal: the configuration, else what was chosen here last. Kept in the state folder. */
enum qr_setting qr_setting_here(const struct console *console);
void qr_setting_keep(const struct console *console, enum qr_setting setting);

#endif
