/* QR codes over libqrencode; pictures of them over libpng, and SVG as text. */
#include "outside/qr.h"

#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <qrencode.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Light modules around the code, without which it cannot be found, and pixels of a module in a picture. */
enum { QUIET = 4, PIXELS = 8 };

enum fd_code qr_make(const char *text, enum qr_level level, struct arena *arena, struct qr *qr, struct fd_error *err)
{
    /* Byte mode: what the channel gave goes in verbatim, and the size follows from its length alone. */
    size_t bytes = strlen(text);
    QRcode *code = NULL;
    errno = EINVAL;
    if (bytes > 0 && bytes <= INT16_MAX)
        code = QRcode_encodeData((int)bytes, (const unsigned char *)text, 0,
                                 level == QR_LEVEL_L ? QR_ECLEVEL_L : QR_ECLEVEL_M);
    if (!code && errno == ENOMEM)
        mem_exhausted();
    if (!code)
        return fd_fail(err, FD_BAD_INPUT, _("A text of %zu bytes cannot be made a QR code."), bytes);
    size_t modules = (size_t)code->width * (size_t)code->width;
    qr->size = code->width;
    qr->dark = arena_alloc(arena, modules);
    /* The other bits tell what a module is for. */
    for (size_t i = 0; i < modules; i++)
        qr->dark[i] = code->data[i] & 1;
    QRcode_free(code);
    return FD_OK;
}

/* One path for all dark modules, a run of them at a time. */
static bool write_svg(const struct qr *qr, FILE *file)
{
    int side = qr->size + 2 * QUIET;
    fprintf(
        file,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
        "shape-rendering=\"crispEdges\">\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n<path fill=\"#000\" d=\"",
        side * PIXELS, side * PIXELS, side, side, side, side);
    for (int row = 0; row < qr->size; row++)
        for (int column = 0, run; column < qr->size; column += run) {
            bool dark = qr_dark(qr, row, column);
            for (run = 1; column + run < qr->size && qr_dark(qr, row, column + run) == dark;)
                run++;
            if (dark)
                fprintf(file, "M%d %dh%dv1h-%dz", column + QUIET, row + QUIET, run, run);
        }
    return fprintf(file, "\"/>\n</svg>\n") > 0;
}

static bool write_png(const struct qr *qr, FILE *file)
{
    unsigned side = (unsigned)(qr->size + 2 * QUIET) * PIXELS;
    png_image image = {.version = PNG_IMAGE_VERSION, .width = side, .height = side, .format = PNG_FORMAT_GRAY};
    unsigned char *grey = xmalloc((size_t)side * side);
    for (unsigned y = 0; y < side; y++)
        for (unsigned x = 0; x < side; x++)
            grey[(size_t)y * side + x] = qr_dark(qr, (int)(y / PIXELS) - QUIET, (int)(x / PIXELS) - QUIET) ? 0 : 255;
    bool written = png_image_write_to_stdio(&image, file, 0, grey, 0, NULL);
    free(grey);
    return written;
}

typedef bool write_fn(const struct qr *qr, FILE *file);
static const struct {
    const char *end;
    write_fn *write;
} forms[] = {{".png", write_png}, {".svg", write_svg}};

static write_fn *form_of(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (length > strlen(forms[i].end) && strcmp(path + length - strlen(forms[i].end), forms[i].end) == 0)
            return forms[i].write;
    return NULL;
}

static enum fd_code file_trouble(const char *path, struct fd_error *err)
{
    return fd_fail(err, FD_IO, _("%s could not be written: %s."), path, strerror(errno));
}

enum fd_code qr_write_file(const struct qr *qr, const char *path, struct fd_error *err)
{
    write_fn *write = form_of(path);
    if (!write)
        return fd_fail(err, FD_BAD_INPUT, _("%s: the name of a code's picture ends in .png or .svg."), path);
    char *beside = xprintf("%s.%ld", path, (long)getpid());
    unlink(beside);
    int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!file) {
        free(beside);
        return file_trouble(path, err);
    }
    errno = EIO;
    bool done = write(qr, file) && !ferror(file);
    done = fclose(file) == 0 && done && rename(beside, path) == 0;
    enum fd_code code = done ? FD_OK : file_trouble(path, err);
    if (!done)
        unlink(beside);
    free(beside);
    return code;
}
