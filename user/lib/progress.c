/* progress.c - the last row of the screen. */
#include "progress.h"
#include "lib.h"
#include "linux.h"
#include "page.h"

static const char *suite;
static unsigned program, programs, began, rows, row; /* row: the current one, from 1 */
static bool counts;                                  /* rows are only counted */

/* Uses INT 80h, because another mechanism may be armed with a row that is not a system call. */
static unsigned seconds_now(void)
{
        struct timespec now = {0};
        toll_call(NUMBER_clock_gettime, CLOCK_MONOTONIC, &now);
        return (unsigned)now.seconds;
}

void progress_begin(char **argv, const char *name, unsigned count)
{
        suite = name;
        rows = count;
        row = 0;
        program = option_number(argv, "program", 0);
        programs = option_number(argv, "programs", 0);
        began = option_number(argv, "began", 0);
        if (program)
                page_open();
}

void progress_walk(char **argv, const char *name, void (*walk)(void))
{
        progress_begin(argv, name, 0);
        if (page_rows) {
                counts = true;
                walk();
                counts = false;
                rows = row;
                row = 0;
        }
        walk();
}

/* Estimates the remaining time from the finished parts, of which each program is one. */
static void left(char *to, size_t size)
{
        unsigned whole = rows > row ? rows : row, of = programs * whole;
        unsigned done = (program - 1) * whole + row - 1;
        unsigned passed = seconds_now() - began;
        if (done && passed)
                snprintf(to, size, ", about %u s left", (passed * (of - done) + done - 1) / done);
        else
                to[0] = 0;
}

static void draw(const char *id)
{
        char time[40], line[256], text[300];
        left(time, sizeof time);
        snprintf(line, sizeof line, "%s: row %u of %u (%s), program %u of %u%s", suite, row, rows,
                 id, program, programs, time);
        line[page_columns < sizeof line ? page_columns : sizeof line - 1] = 0;
        int length = snprintf(text, sizeof text, "\033[1;%ur\033[%u;1H%s\033[K", page_rows - 1,
                              page_rows, line);
        toll_call(NUMBER_write, page_descriptor(), text, length);
}

bool progress_row(const char *id)
{
        row++;
        if (!counts && page_rows)
                draw(id);
        return !counts;
}
