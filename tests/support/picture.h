/* Pictures of what a test has made, kept as PGM for looking at, and what zbarimg reads in them. */
#ifndef FD_TESTS_SUPPORT_PICTURE_H
#define FD_TESTS_SUPPORT_PICTURE_H
#include <stdbool.h>

struct picture {
    int width, height;
    unsigned char *grey; /* width * height, 0 black, 255 white; freed by picture_release */
};
/* All in one shade. */
void picture_init(struct picture *picture, int width, int height, unsigned char grey);
/* Rows more at the bottom, white. */
void picture_grow(struct picture *picture, int rows);
void picture_fill(struct picture *picture, int x, int y, int width, int height, unsigned char grey); /* cut at the edges */
void picture_release(struct picture *picture);
/* As a file of this name in the build folder. */
void picture_write(const struct picture *picture, const char *path);
/* What zbarimg reads in a file (inverted codes are not read), xmalloc'ed; "" nothing. Fails the test where there is no
 * zbarimg. */
char *picture_scan(const char *path);
#endif
