/* rows.c - the subjects as rows of the driver (user/torture/main.c), and how a case ends itself. */
#include "attack.h"

const struct row *const all_rows[] = {
#define SUBJECT_ROW(name) &name##_row,
        SUBJECTS(SUBJECT_ROW)
#undef SUBJECT_ROW
                NULL};

uintptr_t address_given(void)
{
        uintptr_t given = 0;
        const char *at = option(words, "at");
        for (; at && *at >= '0' && *at <= '9'; at++)
                given = given * 10 + (uintptr_t)(*at - '0');
        return given ? given : (uintptr_t)-PAGE;
}

static _Noreturn void leave(int status)
{
        call(NUMBER_exit_group, status);
        __builtin_unreachable();
}

void wrong(const char *format, ...)
{
        char text[160];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        print("  wrong: %s\n", text);
        leave(CASE_WRONG);
}

void not_here(void)
{
        leave(CASE_NOT_HERE);
}
