/* menu.c - the pages after a run (user/console/menu), as text: for the records that it reads, and
 * for a screen of that size.
 *
 *      menu COLUMNS ROWS VERDICT < RECORDS
 *
 * Each page ends with a form feed. It aborts at a line that is wider than the screen: no line may
 * be cut. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "numbers.h"
#include "page.h"

int kernel_vsnprintf(char *to, size_t size, const char *format, va_list arguments);
void records_read(void);
void answer_draw(const char *verdict, bool photo);
unsigned detail_pages(void);
void detail_draw(unsigned number);

unsigned page_rows, page_columns;
static unsigned row;

/* All that the pages call: they get their records here. */
long system_call(long number, long a, long b, long c)
{
        return number == NUMBER_read ? read(0, (void *)b, (size_t)c) : 0;
}

static void show(const char *format, va_list arguments)
{
        char text[1024];
        if ((unsigned)kernel_vsnprintf(text, sizeof text, format, arguments) > page_columns) {
                fprintf(stderr, "longer than %u characters: %s\n", page_columns, text);
                abort();
        }
        puts(text);
        row++;
}

#define SHOW                                                                                       \
        {                                                                                          \
                va_list arguments;                                                                 \
                va_start(arguments, format);                                                       \
                if (page_left())                                                                   \
                        show(format, arguments);                                                   \
                va_end(arguments);                                                                 \
        }

void page_line(const char *format, ...) SHOW

        void page_title(const char *format, ...) SHOW

        unsigned page_left(void)
{
        return row + 1 < page_rows ? page_rows - 1 - row : 0;
}

bool heard;

int main(int argc, char **argv)
{
        if (argc < 4)
                return 2;
        page_columns = (unsigned)atoi(argv[1]);
        page_rows = (unsigned)atoi(argv[2]);
        heard = argc < 5;
        records_read();
        unsigned pages = detail_pages();
        answer_draw(argv[3], false);
        putchar('\f');
        for (unsigned i = 0; i < pages; i++) {
                row = 0;
                detail_draw(i);
                putchar('\f');
        }
        return 0;
}
