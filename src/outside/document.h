/* A slip of paper before it is paper: lines that a printer of any width, a text and JSON can be made of.
 * Source: facts/payments C. */
#ifndef FD_OUTSIDE_DOCUMENT_H
#define FD_OUTSIDE_DOCUMENT_H
#include "outside/tree.h"
#include "base/error.h"
#include "base/mem.h"

struct document; /* a list of lines; opaque */
struct document *document_new(void);
void document_free(struct document **document);
void document_title(struct document *document, const char *text);               /* large, centred */
void document_text(struct document *document, const char *text);                /* wrapped at the width */
void document_centre(struct document *document, const char *text);
void document_pair(struct document *document, const char *left, const char *right); /* right one at the right edge */
void document_strong_pair(struct document *document, const char *left, const char *right); /* bold: totals */
void document_rule(struct document *document);
void document_blank(struct document *document);
void document_top(struct document *document, const char *text);                 /* centred, above all others */
void document_qr(struct document *document, const char *payload);               /* error level M */
char *document_json(const struct document *document);                           /* xmalloc'ed */
struct document *document_from_json(const char *json);                          /* new; NULL where it is none */
/* As text for a terminal or file, `columns` wide (East Asian wide characters are 2); a code stands as its payload. xmalloc'ed. */
char *document_as_text(const struct document *document, int columns);

/* A printer as it is configured. */
enum printer_qr { PRINTER_QR_RASTER, PRINTER_QR_NATIVE };
struct printer {
    char target[256];   /* "" none, "file:/dev/usb/lp0", "tcp:host:9100", "cups:queue" */
    int dots, columns;  /* 384 and 32 for 58 mm, 576 and 48 for 80 mm */
    enum printer_qr qr;
};
/* From [printer] of the configuration: target, paper (58 or 80), columns (0: by paper), qr. FD_CONFIG names the key. */
struct config;
enum fd_code printer_from_config(const struct config *config, struct printer *printer, struct fd_error *err);
/* ESC/POS bytes in GB18030 (no 4-byte forms: replaced by ?, ¥ by the full-width one), cut at the end. */
void document_escpos(const struct document *document, const struct printer *printer, struct buf *bytes);
/* Sends them whole; waits at most limit_ms. FD_IO says what is wrong and what to do (absent, out of paper, refused). */
enum fd_code printer_send(const struct printer *printer, const void *bytes, size_t count, int64_t limit_ms, struct fd_error *err);
#endif
