/* A small ESC/POS printer: reads the bytes as a printer would and draws the paper. It knows the commands that receipts
 * use and nothing else, so that anything unexpected shows. Letters are boxes; pictures and codes are drawn. */
#ifndef FD_TESTS_SUPPORT_PAPER_H
#define FD_TESTS_SUPPORT_PAPER_H
#include <stddef.h>
#include "base/mem.h"
#include "support/picture.h"

struct paper {
    struct picture picture;
    struct buf text;     /* what stands on it, UTF-8, a row a line */
    int columns;         /* of font A: dots / 12 */
    int widest;          /* columns of the widest row */
    int unknown;         /* commands that it does not know */
    int four_bytes;      /* letters of four bytes, which a printer for GBK does not have */
    int split;           /* letters over the right edge */
    int large, bold;     /* rows in large, in bold letters */
    int rasters, codes;  /* pictures; codes that the printer made itself */
    int module;          /* dots of a module of the last of those */
    bool cut;            /* at the end */
};
void paper_read(struct paper *paper, int dots, const void *bytes, size_t count);
void paper_release(struct paper *paper);
#endif
