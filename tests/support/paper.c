#include "support/paper.h"

#include <iconv.h>
#include <qrencode.h>
#include <stdlib.h>
#include <string.h>

enum { LETTER = 12, LINE = 30, HEIGHT = 24 };

struct reader {
    struct paper *paper;
    const unsigned char *bytes;
    size_t count, at;
    int x, y;         /* where the next letter goes */
    int wide, high;   /* 1 or 2 */
    int chinese_wide; /* the other command's width */
    bool bold, chinese, centre;
    int row_columns;
    bool row_large, row_bold;
    int module, level; /* of native codes */
    struct buf payload;
    iconv_t from_gb;
};

static int byte(struct reader *reader)
{
    return reader->at < reader->count ? reader->bytes[reader->at++] : 0;
}

static void need(struct reader *reader, int bottom)
{
    if (bottom > reader->paper->picture.height)
        picture_grow(&reader->paper->picture, bottom - reader->paper->picture.height);
}

static void end_row(struct reader *reader, int dots)
{
    struct paper *paper = reader->paper;
    paper->large += reader->row_large;
    paper->bold += reader->row_bold;
    if (reader->row_columns > paper->widest)
        paper->widest = reader->row_columns;
    reader->row_columns = reader->x = 0;
    reader->row_large = reader->row_bold = false;
    reader->y += dots;
    need(reader, reader->y);
}

static void box(struct reader *reader, int width, int height)
{
    struct picture *picture = &reader->paper->picture;
    need(reader, reader->y + height);
    picture_fill(picture, reader->x + 2, reader->y + 3, width - 4, height - 6, reader->bold ? 90 : 150);
    picture_fill(picture, reader->x + 4, reader->y + 5, width - 8, height - 10, 225);
}

/* A letter of one or two bytes. */
static void letter(struct reader *reader, const char *bytes, size_t count)
{
    char utf8[8], *from = (char *)bytes, *to = utf8;
    size_t from_left = count, to_left = sizeof utf8;
    int columns = (int)count * reader->wide;
    if (count == 2 && reader->chinese_wide != reader->wide)
        reader->paper->unknown++; /* the two commands must agree */
    if (reader->x + columns * LETTER > reader->paper->picture.width)
        reader->paper->split++;
    if (count != 1 || bytes[0] != ' ')
        box(reader, columns * LETTER, HEIGHT * reader->high);
    reader->x += columns * LETTER;
    reader->row_columns += columns;
    reader->row_large = reader->row_large || reader->wide == 2;
    reader->row_bold = reader->row_bold || reader->bold;
    if (iconv(reader->from_gb, &from, &from_left, &to, &to_left) == (size_t)-1)
        reader->paper->unknown++;
    buf_add_bytes(&reader->paper->text, utf8, sizeof utf8 - to_left);
}

static void raster(struct reader *reader)
{
    int mode = byte(reader), row_bytes = byte(reader), rows;
    row_bytes += byte(reader) << 8;
    rows = byte(reader);
    rows += byte(reader) << 8;
    struct paper *paper = reader->paper;
    if (mode != 0 || row_bytes * 8 > paper->picture.width || rows > 960)
        paper->unknown++;
    need(reader, reader->y + rows);
    for (int y = 0; y < rows; y++)
        for (int at = 0; at < row_bytes; at++)
            for (int bit = 0, bits = byte(reader); bit < 8; bit++)
                if (bits & (0x80 >> bit))
                    picture_fill(&paper->picture, at * 8 + bit, reader->y + y, 1, 1, 0);
    paper->rasters++;
    reader->y += rows;
}

static void draw_code(struct reader *reader)
{
    static const QRecLevel levels[] = {QR_ECLEVEL_L, QR_ECLEVEL_M, QR_ECLEVEL_Q, QR_ECLEVEL_H};
    QRcode *code = QRcode_encodeData((int)reader->payload.bytes, (const unsigned char *)reader->payload.text, 0,
                                     levels[reader->level & 3]);
    struct paper *paper = reader->paper;
    int side = code ? code->width * reader->module : 0;
    if (!code || side > paper->picture.width) {
        paper->unknown++;
        QRcode_free(code);
        return;
    }
    int left = reader->centre ? (paper->picture.width - side) / 2 : 0;
    need(reader, reader->y + side);
    for (int i = 0; i < code->width * code->width; i++)
        if (code->data[i] & 1)
            picture_fill(&paper->picture, left + i % code->width * reader->module,
                         reader->y + i / code->width * reader->module, reader->module, reader->module, 0);
    QRcode_free(code);
    paper->codes++;
    paper->module = reader->module;
    reader->y += side;
}

/* GS ( k: length, then 1, then what. */
static void code_command(struct reader *reader)
{
    int length = byte(reader);
    length += byte(reader) << 8;
    size_t end = reader->at + (size_t)length;
    int kind = byte(reader), what = byte(reader), value = byte(reader);
    if (kind != 0x31 || length < 3 || end > reader->count)
        reader->paper->unknown++;
    else if (what == 0x43)
        reader->module = value;
    else if (what == 0x45)
        reader->level = value - 0x30;
    else if (what == 0x50) {
        buf_clear(&reader->payload);
        buf_add_bytes(&reader->payload, (const char *)reader->bytes + reader->at, end - reader->at);
    } else if (what == 0x51)
        draw_code(reader);
    else if (what != 0x41 || value != 0x32)
        reader->paper->unknown++;
    reader->at = end;
}

static void escape(struct reader *reader)
{
    switch (byte(reader)) {
    case '@':
        reader->wide = reader->high = reader->chinese_wide = 1;
        reader->bold = reader->centre = false;
        return;
    case 'a':
        reader->centre = byte(reader) == 1;
        return;
    case 'E':
        reader->bold = byte(reader) == 1;
        return;
    case 'J':
        end_row(reader, byte(reader));
        return;
    case 'd':
        end_row(reader, byte(reader) * LINE);
        return;
    default:
        reader->paper->unknown++;
    }
}

static void group(struct reader *reader)
{
    int value;
    switch (byte(reader)) {
    case '!':
        value = byte(reader);
        reader->wide = (value >> 4) + 1;
        reader->high = (value & 15) + 1;
        return;
    case 'V':
        value = byte(reader);
        if (value == 0x41 || value == 0x42)
            byte(reader);
        reader->paper->cut = reader->at == reader->count;
        return;
    case 'v':
        if (byte(reader) != 0x30)
            reader->paper->unknown++;
        raster(reader);
        return;
    case '(':
        if (byte(reader) != 'k')
            reader->paper->unknown++;
        code_command(reader);
        return;
    default:
        reader->paper->unknown++;
    }
}

static void chinese(struct reader *reader)
{
    switch (byte(reader)) {
    case '&':
        reader->chinese = true;
        return;
    case '!':
        reader->chinese_wide = byte(reader) & 4 ? 2 : 1;
        return;
    default:
        reader->paper->unknown++;
    }
}

static void letters(struct reader *reader, int first)
{
    char pair[2] = {(char)first, 0};
    if (first < 0x80) {
        letter(reader, pair, 1);
        return;
    }
    int second = byte(reader);
    pair[1] = (char)second;
    if (!reader->chinese || second < 0x40) {
        reader->paper->four_bytes += second < 0x40;
        reader->paper->unknown++;
        return;
    }
    letter(reader, pair, 2);
}

void paper_read(struct paper *paper, int dots, const void *bytes, size_t count)
{
    struct reader reader = {.paper = paper, .bytes = bytes, .count = count, .wide = 1, .high = 1, .chinese_wide = 1};
    *paper = (struct paper){.columns = dots / LETTER};
    picture_init(&paper->picture, dots, 0, 255);
    reader.from_gb = iconv_open("UTF-8", "GB18030");
    while (reader.at < reader.count) {
        int next = byte(&reader);
        if (next == '\n') {
            buf_add(&paper->text, "\n");
            end_row(&reader, LINE * reader.high);
        } else if (next == 0x1b) {
            escape(&reader);
        } else if (next == 0x1d) {
            group(&reader);
        } else if (next == 0x1c) {
            chinese(&reader);
        } else if (next < ' ') {
            paper->unknown++;
        } else {
            letters(&reader, next);
        }
    }
    need(&reader, reader.y + LINE);
    iconv_close(reader.from_gb);
    buf_release(&reader.payload);
}

void paper_release(struct paper *paper)
{
    picture_release(&paper->picture);
    buf_release(&paper->text);
}
