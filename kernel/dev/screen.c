/* screen.c - the VGA text screen: 80 by 25 cells of a character and a colour. */
#include "dev/screen.h"
#include "lib/string.h"
#include "mem/space.h"

#define WHITE_ON_BLACK 0x0700

static uint16_t *cells;
static unsigned columns, rows, column, row;

void screen_init(const struct boot_screen *screen)
{
        if (screen->kind != SCREEN_TEXT)
                return;
        columns = screen->width;
        rows = screen->height;
        cells = window_map(screen->address, columns * rows * sizeof *cells);
        for (unsigned i = 0; cells && i < columns * rows; i++)
                cells[i] = WHITE_ON_BLACK | ' ';
}

static void new_line(void)
{
        column = 0;
        if (++row < rows)
                return;
        row = rows - 1;
        memmove(cells, cells + columns, columns * row * sizeof *cells);
        for (unsigned i = 0; i < columns; i++)
                cells[row * columns + i] = WHITE_ON_BLACK | ' ';
}

void screen_write(const char *text, size_t count)
{
        for (size_t i = 0; cells && i < count; i++) {
                if (text[i] == '\n') {
                        new_line();
                        continue;
                }
                if (column == columns)
                        new_line();
                cells[row * columns + column++] = WHITE_ON_BLACK | (unsigned char)text[i];
        }
}
