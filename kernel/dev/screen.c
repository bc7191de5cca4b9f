/* screen.c - what stands on the screen, character by character; a driver shows what changes. */
#include "dev/screen.h"
#include "cpu/window.h"
#include "lib/string.h"

#define COLUMNS_MAX 160
#define ROWS_MAX 64

static const struct screen_driver *const drivers[] = {
        [SCREEN_NONE] = NULL,
        [SCREEN_TEXT] = &text_driver,
        [SCREEN_PIXELS] = &pixels_driver,
};

static const struct boot_screen *device;
static const struct screen_driver *driver;
static bool shown;
static uint8_t cells[ROWS_MAX][COLUMNS_MAX];
static unsigned columns, rows, column, row;

static unsigned least(unsigned a, unsigned b)
{
        return a < b ? a : b;
}

void screen_init(const struct boot_screen *screen)
{
        device = screen;
        driver = drivers[screen->kind];
        if (!driver)
                return;
        columns = least(screen->width / driver->cell_width, COLUMNS_MAX);
        rows = least(screen->height / driver->cell_height, ROWS_MAX);
        memset(cells, ' ', sizeof cells);
        if (driver->direct)
                screen_map();
}

void screen_map(void)
{
        if (!driver || shown)
                return;
        shown = driver->open(device);
        for (unsigned r = 0; shown && r < rows; r++)
                for (unsigned c = 0; c < columns; c++)
                        if (cells[r][c] != ' ')
                                driver->draw(c, r, ' ', cells[r][c]);
}

void screen_close(void)
{
        columns = rows = 0;
}

static void put(unsigned c, unsigned r, uint8_t is)
{
        uint8_t was = cells[r][c];
        cells[r][c] = is;
        if (shown && was != is)
                driver->draw(c, r, was, is);
}

static void new_line(void)
{
        column = 0;
        if (++row < rows)
                return;
        row = rows - 1;
        for (unsigned r = 0; r < row; r++, interrupt_window())
                for (unsigned c = 0; c < columns; c++)
                        put(c, r, cells[r + 1][c]);
        for (unsigned c = 0; c < columns; c++)
                put(c, row, ' ');
}

void screen_write(const char *text, size_t count)
{
        if (!columns || !rows)
                return;
        for (size_t i = 0; i < count; i++) {
                uint8_t c = (uint8_t)text[i];
                if (c == '\n') {
                        new_line();
                        continue;
                }
                if (c == '\b') {
                        column -= column != 0;
                        continue;
                }
                if (column == columns)
                        new_line();
                put(column++, row, c >= ' ' && c <= '~' ? c : '?');
        }
}
