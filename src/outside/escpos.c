/* ESC/POS: a document as the bytes of a receipt printer. Source: facts C1 to C3. */
#include <iconv.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "outside/document_internal.h"
#include "outside/qr.h"

/* Reset; double-byte characters on. They are not part of what a reset brings on every printer. */
#define PROLOGUE "\x1b\x40\x1c\x26"
/* ASCII and Chinese letters are enlarged by commands of their own on some printers, by one on others. */
#define LARGE_ON   "\x1d\x21\x11\x1c\x21\x0c"
#define LARGE_OFF  "\x1d\x21\x00\x1c\x21\x00"
#define BOLD_ON    "\x1b\x45\x01"
#define BOLD_OFF   "\x1b\x45\x00"
#define CENTRE_ON  "\x1b\x61\x01"
#define CENTRE_OFF "\x1b\x61\x00"
/* Up to the cutter, where there is one; three lines reach the tear-off edge where there is none. */
#define EPILOGUE        "\x1b\x64\x03\x1d\x56\x42\x00"
#define ADD(buf, bytes) buf_add_bytes(buf, bytes, sizeof bytes - 1)

/* Dots of a module: the largest that fits, between what a phone reads with ease and what it needs. */
enum { MODULE_DOTS = 8, QUIET = 4 };

struct paper {
    const struct printer *printer;
    struct buf *bytes;
    iconv_t gb; /* (iconv_t)-1: this machine has no GB18030, ASCII only */
};

/* GB18030 of a character in one or two bytes: returns how many, 0 where it has no such form. The yen sign of a keyboard
 * has four bytes, which a printer for GBK prints as rubbish; the full-width one has two. */
static size_t encode(const struct paper *paper, uint32_t ch, char out[2])
{
    char utf8[5], wide[8], *from = utf8, *to = wide;
    if (ch < 0x80) {
        out[0] = ch < ' ' || ch == 0x7f ? '?' : (char)ch;
        return 1;
    }
    if (paper->gb == (iconv_t)-1)
        return 0;
    size_t from_left = (size_t)text_encode(ch == 0xa5 ? 0xffe5 : ch, utf8), to_left = sizeof wide;
    bool fits = iconv(paper->gb, &from, &from_left, &to, &to_left) != (size_t)-1 && sizeof wide - to_left <= 2;
    /* Whatever it had begun does not touch the next character. */
    iconv(paper->gb, NULL, NULL, NULL, NULL);
    if (!fits)
        return 0;
    memcpy(out, wide, sizeof wide - to_left);
    return sizeof wide - to_left;
}

/* One byte is one column, two are two: also where the terminal says otherwise, as for quotes and dashes. */
static int columns_of(void *arg, uint32_t ch)
{
    char bytes[2];
    return encode(arg, ch, bytes) == 2 ? 2 : 1;
}

static void add_text(const struct paper *paper, const char *text)
{
    char bytes[2];
    for (uint32_t ch; (ch = text_next(&text)) != 0;) {
        size_t count = encode(paper, ch, bytes);
        buf_add_bytes(paper->bytes, count ? bytes : "?", count ? count : 1);
    }
    ADD(paper->bytes, "\n");
}

static void paper_row(void *arg, const struct line *line, const char *text)
{
    struct paper *paper = arg;
    bool large = line->kind == LINE_TITLE, bold = line->kind == LINE_STRONG_PAIR;
    if (large)
        ADD(paper->bytes, LARGE_ON);
    if (bold)
        ADD(paper->bytes, BOLD_ON);
    add_text(paper, text);
    if (bold)
        ADD(paper->bytes, BOLD_OFF);
    if (large)
        ADD(paper->bytes, LARGE_OFF);
}

/* The command's fields are bytes, numbers of two of them the low one first. */
static void add_bytes(struct buf *buf, size_t count, const int *values)
{
    for (size_t i = 0; i < count; i++) {
        char byte = (char)(unsigned char)values[i];
        buf_add_bytes(buf, &byte, 1);
    }
}
#define ADD_BYTES(buf, ...) add_bytes(buf, sizeof((const int[]){__VA_ARGS__}) / sizeof(int), (const int[]){__VA_ARGS__})

/* A picture as wide as the paper, so that the margin is ours and no alignment moves it. At most as high as wide: far
 * below the 960 rows that one command may have. */
static void add_raster(const struct paper *paper, const struct qr *qr, int module)
{
    int row_bytes = paper->printer->dots / 8, side = (qr->size + 2 * QUIET) * module;
    int left = (row_bytes * 8 - side) / 2;
    ADD_BYTES(paper->bytes, 0x1d, 0x76, 0x30, 0, row_bytes & 255, row_bytes >> 8, side & 255, side >> 8);
    for (int y = 0; y < side; y++)
        for (int at = 0; at < row_bytes; at++) {
            int byte = 0;
            for (int bit = 0; bit < 8; bit++) {
                int x = at * 8 + bit - left;
                bool dark = x >= 0 && qr_dark(qr, y / module - QUIET, x / module - QUIET);
                byte |= dark << (7 - bit);
            }
            ADD_BYTES(paper->bytes, byte);
        }
}

/* The printer makes the code, but no margin: it is fed. */
static void add_native(const struct paper *paper, const char *payload, int module)
{
    size_t count = strlen(payload), stored = count + 3;
    struct buf *bytes = paper->bytes;
    ADD(bytes, CENTRE_ON);
    ADD_BYTES(bytes, 0x1b, 0x4a, QUIET * module);
    ADD_BYTES(bytes, 0x1d, 0x28, 0x6b, 4, 0, 0x31, 0x41, 0x32, 0); /* model 2 */
    ADD_BYTES(bytes, 0x1d, 0x28, 0x6b, 3, 0, 0x31, 0x43, module);
    ADD_BYTES(bytes, 0x1d, 0x28, 0x6b, 3, 0, 0x31, 0x45, 0x31); /* level M */
    ADD_BYTES(bytes, 0x1d, 0x28, 0x6b, (int)(stored & 255), (int)(stored >> 8), 0x31, 0x50, 0x30);
    buf_add_bytes(bytes, payload, count);
    ADD_BYTES(bytes, 0x1d, 0x28, 0x6b, 3, 0, 0x31, 0x51, 0x30);
    ADD_BYTES(bytes, 0x1b, 0x4a, QUIET * module);
    ADD(bytes, CENTRE_OFF);
}

/* A text that no code can hold, or a paper that none fits on, still gets the text. */
static void add_code(struct paper *paper, const struct layout *layout, const struct line *line)
{
    struct arena arena = {0};
    struct qr qr;
    int module = 0;
    if (qr_make(line->text, QR_LEVEL_M, &arena, &qr, NULL) == FD_OK)
        module = paper->printer->dots / (qr.size + 2 * QUIET);
    if (module > MODULE_DOTS)
        module = MODULE_DOTS;
    if (module > 0 && paper->printer->qr == PRINTER_QR_NATIVE)
        add_native(paper, line->text, module);
    else if (module > 0)
        add_raster(paper, &qr, module);
    else
        document_lay(layout, &(struct line){LINE_TEXT, line->text, NULL});
    arena_release(&arena);
}

void document_escpos(const struct document *document, const struct printer *printer, struct buf *bytes)
{
    struct paper paper = {printer, bytes, iconv_open("GB18030", "UTF-8")};
    const struct layout normal = {printer->columns, columns_of, paper_row, &paper};
    const struct layout large = {printer->columns / 2, columns_of, paper_row, &paper};
    if (paper.gb == (iconv_t)-1)
        log_line(LOG_WARN, "printing: iconv has no GB18030: Chinese is printed as question marks");
    ADD(bytes, PROLOGUE);
    for (size_t i = 0; i < document->count; i++) {
        const struct line *line = &document->lines[i];
        if (line->kind == LINE_QR)
            add_code(&paper, &normal, line);
        else
            document_lay(line->kind == LINE_TITLE ? &large : &normal, line);
    }
    ADD(bytes, EPILOGUE);
    if (paper.gb != (iconv_t)-1)
        iconv_close(paper.gb);
}
