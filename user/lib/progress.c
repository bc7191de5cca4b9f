/* progress.c - the last row of the screen. */
#include "progress.h"
#include "lib.h"
#include "linux.h"
#include "page.h"

static unsigned program, programs, began, rows, row;

/* By INT 80h, for another way in may be armed with a row that is no system call. */
static unsigned seconds_now(void)
{
        struct timespec now = {0};
        toll_call(NUMBER_clock_gettime, CLOCK_MONOTONIC, &now);
        return (unsigned)now.seconds;
}

void progress_begin(char **argv, unsigned count)
{
        rows = count;
        row = 0;
        program = option_number(argv, "program", 0);
        programs = option_number(argv, "programs", 0);
        began = option_number(argv, "began", 0);
        if (program)
                page_open();
}

/* The rest takes as long as what is done, part by part: each program is one. */
static void left(char *to, size_t size)
{
        unsigned whole = rows ? rows : row + 1, of = programs * whole;
        unsigned done = (program - 1) * whole + (row < whole ? row : whole);
        unsigned passed = seconds_now() - began;
        if (done && passed)
                snprintf(to, size, ", about %u s left", (passed * (of - done) + done - 1) / done);
        else
                to[0] = 0;
}

void progress_row(const char *suite, const char *id)
{
        char time[40], of[16] = "", line[256], text[300];
        if (!page_rows || !strcmp(suite, "control"))
                return;
        row++;
        if (rows)
                snprintf(of, sizeof of, " of %u", rows);
        left(time, sizeof time);
        snprintf(line, sizeof line, "%s: row %u%s (%s), program %u of %u%s", suite, row, of, id,
                 program, programs, time);
        line[page_columns < sizeof line ? page_columns : sizeof line - 1] = 0;
        int length = snprintf(text, sizeof text, "\033[1;%ur\033[%u;1H%s\033[K", page_rows - 1,
                              page_rows, line);
        toll_call(NUMBER_write, page_descriptor(), text, length);
}
