/* QR codes: libqrencode inside. Source: facts/payments D. */
#ifndef FD_OUTSIDE_QR_H
#define FD_OUTSIDE_QR_H
#include "base/error.h"
#include "base/mem.h"

enum qr_level { QR_LEVEL_L, QR_LEVEL_M }; /* L on screens, M on paper */
struct qr {
    int size;             /* modules on a side, without margin */
    unsigned char *dark;  /* size x size, 1 dark; in the arena */
};
/* FD_BAD_INPUT where the text is too long. */
enum fd_code qr_make(const char *text, enum qr_level level, struct arena *arena, struct qr *qr, struct fd_error *err);
static inline bool qr_dark(const struct qr *qr, int row, int column) /* outside: light */
{
    return row >= 0 && column >= 0 && row < qr->size && column < qr->size && qr->dark[row * qr->size + column];
}
/* As a picture with a margin of 4 modules; by the name's end, .png or .svg. Written beside and renamed. FD_IO, FD_BAD_INPUT. */
enum fd_code qr_write_file(const struct qr *qr, const char *path, struct fd_error *err);
#endif
