/* said.c - the scroll-back: all of the console's text, from /dev/kmsg. */
#include "menu.h"

#define ROOM (256u << 10)
#define LINES 16384

static char text[ROOM];
static size_t size;
static uint32_t starts[LINES + 1]; /* starts of the last lines, as wrapped on the screen */
static unsigned lines;

static void read_all(void)
{
        long got, file = open("/dev/kmsg", O_RDONLY, 0);
        size = 0;
        while (file >= 0 && size < ROOM && (got = read((int)file, text + size, ROOM - size)) > 0)
                size += (size_t)got;
        if (file >= 0)
                close((int)file);
}

static void break_lines(void)
{
        size_t column = 0;
        lines = 0;
        starts[0] = 0;
        for (size_t i = 0; i < size && lines < LINES; i++) {
                if (text[i] != '\n' && column++ < page_columns)
                        continue;
                column = text[i] != '\n';
                starts[++lines] = (uint32_t)(column ? i : i + 1);
        }
}

static void draw(unsigned first)
{
        page_begin();
        for (unsigned i = first; i < lines && page_left(); i++) {
                size_t length = starts[i + 1] - starts[i];
                if (length && text[starts[i] + length - 1] == '\n')
                        length--;
                page_line("%.*s", (int)length, text + starts[i]);
        }
        page_last(" lines %u to %u of %u   PgUp PgDn, arrows, Home, End; q: back", first + 1,
                  first + page_rows - 1 < lines ? first + page_rows - 1 : lines, lines);
}

void said_look(void)
{
        read_all();
        break_lines();
        int page = (int)page_rows - 1, last = (int)lines > page ? (int)lines - page : 0, at = last;
        for (;;) {
                draw((unsigned)at);
                int key = key_wait(-1);
                switch (key) {
                case KEY_UP: at--; break;
                case KEY_DOWN: at++; break;
                case KEY_PAGE_UP: at -= page; break;
                case ' ':
                case KEY_PAGE_DOWN: at += page; break;
                case KEY_HOME: at = 0; break;
                case KEY_END: at = last; break;
                default: return;
                }
                at = at < 0 ? 0 : at > last ? last : at;
        }
}
