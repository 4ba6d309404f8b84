#include "support/picture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/mem.h"

void picture_init(struct picture *picture, int width, int height, unsigned char grey)
{
    *picture = (struct picture){width, height, xmalloc((size_t)width * (size_t)height + 1)};
    memset(picture->grey, grey, (size_t)width * (size_t)height);
}

void picture_grow(struct picture *picture, int rows)
{
    size_t before = (size_t)picture->width * (size_t)picture->height, more = (size_t)picture->width * (size_t)rows;
    picture->grey = xrealloc(picture->grey, before + more + 1, 1);
    memset(picture->grey + before, 255, more);
    picture->height += rows;
}

void picture_fill(struct picture *picture, int x, int y, int width, int height, unsigned char grey)
{
    for (int row = y < 0 ? 0 : y; row < y + height && row < picture->height; row++)
        for (int column = x < 0 ? 0 : x; column < x + width && column < picture->width; column++)
            picture->grey[(size_t)row * (size_t)picture->width + (size_t)column] = grey;
}

void picture_release(struct picture *picture)
{
    free(picture->grey);
    *picture = (struct picture){0};
}

void picture_write(const struct picture *picture, const char *path)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "P5\n%d %d\n255\n", picture->width, picture->height);
    fwrite(picture->grey, (size_t)picture->width, (size_t)picture->height, file);
    assert_int_equal(fclose(file), 0);
}

char *picture_scan(const char *path)
{
    char *command = xprintf("zbarimg --nodbus -q --raw '%s' 2>/dev/null", path), line[1024];
    struct buf text = {0};
    FILE *pipe = popen(command, "r");
    free(command);
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe))
        buf_add(&text, line);
    int status = pclose(pipe);
    /* 4: nothing found. */
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 4))
        fail_msg("zbarimg does not run (package zbar-tools): status %d", status);
    if (text.bytes && text.text[text.bytes - 1] == '\n')
        text.text[--text.bytes] = '\0';
    return buf_take(&text);
}
