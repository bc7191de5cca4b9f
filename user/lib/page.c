/* page.c - text pages on the screen. */
#include "page.h"
#include "linux.h"

#define COLUMNS_MAX 256

unsigned page_rows, page_columns;
static long screen = -1;
static unsigned row; /* number of the next line, from 0 */

bool page_open(void)
{
        uint16_t size[4] = {0};
        if (screen < 0)
                screen = open("/dev/tty1", O_WRONLY | O_CLOEXEC, 0);
        if (screen >= 0 && !ioctl((int)screen, TIOCGWINSZ, size)) {
                page_rows = size[0];
                page_columns = size[1] < COLUMNS_MAX ? size[1] : COLUMNS_MAX;
        }
        return page_rows;
}

int page_descriptor(void)
{
        return (int)screen;
}

static void draw(unsigned at, bool inverse, const char *format, va_list arguments)
{
        char text[COLUMNS_MAX + 32], line[COLUMNS_MAX + 1];
        if (at >= page_rows)
                return;
        vsnprintf(line, page_columns + 1, format, arguments);
        unsigned length = (unsigned)strlen(line), size;
        size = (unsigned)snprintf(text, sizeof text, "\033[%u;1H%s%s", at + 1,
                                  inverse ? "\033[K\033[7m" : "", line);
        if (inverse) {
                for (; length < page_columns; length++)
                        text[size++] = ' ';
                size += (unsigned)snprintf(text + size, sizeof text - size, "\033[m");
        } else if (length < page_columns) {
                size += (unsigned)snprintf(text + size, sizeof text - size, "\033[K");
        }
        write((int)screen, text, size);
}

#define DRAW(at, inverse)                                                                          \
        do {                                                                                       \
                va_list arguments;                                                                 \
                va_start(arguments, format);                                                       \
                draw((at), (inverse), format, arguments);                                          \
                va_end(arguments);                                                                 \
        } while (0)

void page_begin(void)
{
        row = 0;
}

void page_line(const char *format, ...)
{
        if (page_left())
                DRAW(row++, false);
}

void page_title(const char *format, ...)
{
        if (page_left())
                DRAW(row++, true);
}

void page_last(const char *format, ...)
{
        while (page_left())
                page_line(" ");
        row = page_rows;
        DRAW(row - 1, true);
}

unsigned page_left(void)
{
        return row + 1 < page_rows ? page_rows - 1 - row : 0;
}

void page_wipe(void)
{
        static const char all[] = "\033[r\033[2J";
        if (screen >= 0)
                write((int)screen, all, sizeof all - 1);
}
