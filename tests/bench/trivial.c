/* The least that a curses program can do, for comparison; the one place outside ui/term that includes
 * curses: measured through ui/term it would cost what ui/term costs.
 *
 *   trivial             paints a grid of courts and hours and moves a bar with h j k l
 *   trivial FILE        the same after it has connected and read the day as FILE says
 *   trivial FILE paint  reads and paints the day again each time it is asked on descriptor 3, and
 *                       answers there with the milliseconds
 *
 * FILE: socket, user and database, then the values ("day=2026-12-01") and then the statements, each on a line
 * (bench writes it). */
#define NCURSES_WIDECHAR       1
#define _XOPEN_SOURCE_EXTENDED 1
#include <curses.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "bench/bare.h"

enum { COURTS = 20, HOURS = 16, TIME_CELLS = 6, HEAD_ROWS = 3, CONTROL = 3, STATEMENTS_MOST = 4 };

static char text[HOURS][COURTS][24];
static short colour[HOURS][COURTS];
static struct bare *bare;
static int statements[STATEMENTS_MOST], statement_count;
static int cursor_hour, cursor_court;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* --- reading ----------------------------------------------------------------------------------- */

static void take_row(struct bare *from, int statement, void *arg)
{
    int64_t *row = arg;
    int hour = (int)(*row % HOURS), court = (int)(*row / HOURS % COURTS);
    /* The slots come second and are what is painted; the other statements are read away. */
    if (statement == statements[1]) {
        snprintf(text[hour][court], sizeof text[hour][court], "%lld/%lld",
                 (long long)bare_column_int(from, statement, 5), (long long)bare_column_int(from, statement, 4));
        colour[hour][court] = (short)(1 + (*row + bare_column_int(from, statement, 5)) % 4);
    }
    (*row)++;
}

static void read_day(void)
{
    for (int i = 0; i < statement_count; i++) {
        int64_t row = 0;
        bare_each(bare, statements[i], take_row, &row);
    }
    if (bare)
        bare_commit(bare);
}

static void take_line(const char *line)
{
    char name[40];
    const char *equals = strchr(line, '=');
    if (strncmp(line, "SELECT", 6) == 0 && statement_count < STATEMENTS_MOST) {
        statements[statement_count++] = bare_prepare(bare, "day", line);
    } else if (equals && (size_t)(equals - line) < sizeof name) {
        snprintf(name, sizeof name, "%.*s", (int)(equals - line), line);
        bare_text(bare, name, equals + 1);
    }
}

static void connect_as(const char *path)
{
    static char line[8192];
    char where[3][256] = {"", "", ""};
    FILE *file = fopen(path, "re");
    for (int count = 0; file && fgets(line, sizeof line, file); count++) {
        line[strcspn(line, "\n")] = '\0';
        if (count < 3)
            snprintf(where[count], sizeof where[count], "%.255s", line);
        if (count == 3)
            bare = bare_open(where[0], where[1], where[2]);
        if (count >= 3)
            take_line(line);
    }
    if (file)
        fclose(file);
    if (!bare)
        exit(2);
}

static void invent_day(void)
{
    for (int hour = 0; hour < HOURS; hour++)
        for (int court = 0; court < COURTS; court++) {
            snprintf(text[hour][court], sizeof text[hour][court], "%d/1", (hour + court) % 2);
            colour[hour][court] = (short)(1 + (hour * 7 + court) % 4);
        }
}

/* --- painting ------------------------------------------------------------------------------------- */

static void paint_cell(int hour, int court)
{
    int width = (COLS - TIME_CELLS) / COURTS < 9 ? 9 : (COLS - TIME_CELLS) / COURTS;
    if (TIME_CELLS + (court + 1) * width > COLS)
        return;
    attr_set(hour == cursor_hour && court == cursor_court ? A_REVERSE : A_NORMAL, colour[hour][court], NULL);
    mvprintw(HEAD_ROWS + hour, TIME_CELLS + court * width, "%-*.*s", width - 1, width - 1, text[hour][court]);
}

static void paint_all(void)
{
    attr_set(A_NORMAL, 0, NULL);
    mvprintw(0, 0, "%-*s", COLS - 1, "Day grid badminton");
    for (int court = 0; court < COURTS; court++)
        mvprintw(2, TIME_CELLS + court * 9, "Court %02d", court + 1);
    for (int hour = 0; hour < HOURS; hour++) {
        attr_set(A_NORMAL, 0, NULL);
        mvprintw(HEAD_ROWS + hour, 1, "%02d", hour + 6);
        for (int court = 0; court < COURTS; court++)
            paint_cell(hour, court);
    }
    attr_set(A_NORMAL, 0, NULL);
    mvprintw(LINES - 1, 0, "%-*s", COLS - 1, "h j k l move   q leaves");
}

static void start_curses(void)
{
    setlocale(LC_ALL, "");
    initscr();
    raw();
    noecho();
    keypad(stdscr, TRUE);
    start_color();
    use_default_colors();
    for (short i = 1; i <= 4; i++)
        init_pair(i, i, -1);
}

static void move_bar(int key)
{
    int hour = cursor_hour, court = cursor_court;
    cursor_hour += (key == 'j') - (key == 'k');
    cursor_court += (key == 'l') - (key == 'h');
    if (cursor_hour < 0 || cursor_hour >= HOURS)
        cursor_hour = hour;
    if (cursor_court < 0 || cursor_court >= COURTS)
        cursor_court = court;
    paint_cell(hour, court);
    paint_cell(cursor_hour, cursor_court);
}

static void key_loop(void)
{
    int key;
    while ((key = getch()) != 'q' && key != ERR) {
        move_bar(key);
        refresh();
    }
}

static void paint_loop(void)
{
    int count;
    while (read(CONTROL, &count, sizeof count) == sizeof count)
        for (int i = 0; i < count; i++) {
            double begin = now_ms();
            read_day();
            clearok(curscr, TRUE); /* all of it is sent */
            paint_all();
            refresh();
            double took = now_ms() - begin;
            if (write(CONTROL, &took, sizeof took) != sizeof took)
                return;
        }
}

int main(int argc, char **argv)
{
    invent_day();
    start_curses();
    if (argc > 1)
        connect_as(argv[1]);
    read_day();
    paint_all();
    refresh();
    if (argc > 2)
        paint_loop();
    else
        key_loop();
    endwin();
    bare_close(&bare);
    return 0;
}
