/*
 * progress.c - how far a run is said to be (user/lib/progress.c): the rows of a walk are counted
 * before the first is measured, and what is drawn is one line at the bottom of the screen.
 */
#include "unit.h"
/* What progress.c needs of linux.h, whose calls would clash with the host's. */
#define TOLLGATE_USER_LIB_LINUX_H
#define CLOCK_MONOTONIC 1
#define timespec kernel_timespec
struct timespec {
        long seconds, nanoseconds;
};
#define snprintf kernel_snprintf
#include "../../user/lib/progress.c"

unsigned page_rows, page_columns;
static unsigned now;
static char drawn[400];
static unsigned measured, walks;

long(toll_call)(long number, ...)
{
        long a[3];
        va_list arguments;
        va_start(arguments, number);
        for (int i = 0; i < 3; i++)
                a[i] = va_arg(arguments, long);
        va_end(arguments);
        if (number == NUMBER_clock_gettime)
                ((struct timespec *)a[1])->seconds = now;
        else if (number == NUMBER_write && a[0] == 7)
                snprintf(drawn, sizeof drawn, "%.*s", (int)a[2], (const char *)a[1]);
        else
                fail();
        return 0;
}

bool page_open(void)
{
        page_rows = 25;
        page_columns = 80;
        return true;
}

int page_descriptor(void)
{
        return 7;
}

const char *option(char **argv, const char *name)
{
        (void)argv, (void)name;
        return NULL;
}

static unsigned programs_given;

unsigned option_number(char **argv, const char *name, unsigned otherwise)
{
        (void)argv, (void)otherwise;
        return !strcmp(name, "began")     ? 100
               : !strcmp(name, "program") ? programs_given / 2
                                          : programs_given;
}

static void is_drawn(const char *line)
{
        char all[400];
        snprintf(all, sizeof all, "\033[1;24r\033[25;1H%s\033[K", line);
        assert_string_equal(drawn, all);
}

static void three(void)
{
        walks++;
        for (int i = 0; i < 3; i++)
                if (progress_row(i == 2 ? "a/b/c" : "x"))
                        measured++;
}

static void a_walk_is_counted_first(void **state)
{
        (void)state;
        programs_given = 4;
        now = 130;
        progress_walk(NULL, "ladder", three);
        assert_int_equal(walks, 2);
        assert_int_equal(measured, 3);
        is_drawn("ladder: row 3 of 3 (a/b/c), program 2 of 4, about 42 s left");
}

static void the_rest_takes_as_long_as_what_is_done(void **state)
{
        (void)state;
        programs_given = 2;
        now = 100;
        progress_begin(NULL, "share", 4);
        assert_true(progress_row("one"));
        is_drawn("share: row 1 of 4 (one), program 1 of 2");
        now = 107;
        progress_row("two");
        is_drawn("share: row 2 of 4 (two), program 1 of 2, about 49 s left");
        progress_row("three");
        progress_row("four");
        progress_row("five"); /* more than were said */
        is_drawn("share: row 5 of 4 (five), program 1 of 2, about 11 s left");
        char name[100];
        memset(name, 'n', sizeof name - 1);
        name[99] = 0;
        progress_row(name);
        assert_int_equal(strlen(drawn), 80 + strlen("\033[1;24r\033[25;1H\033[K"));
}

static void without_a_screen_nothing_is_counted(void **state)
{
        (void)state;
        programs_given = page_rows = measured = walks = 0;
        drawn[0] = 0;
        progress_walk(NULL, "ladder", three);
        assert_int_equal(walks, 1);
        assert_int_equal(measured, 3);
        assert_string_equal(drawn, "");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_walk_is_counted_first),
                cmocka_unit_test(the_rest_takes_as_long_as_what_is_done),
                cmocka_unit_test(without_a_screen_nothing_is_counted),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
