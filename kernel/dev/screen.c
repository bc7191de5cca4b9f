/* screen.c - the characters on the screen; a driver draws rows that have changed.
 *
 * A row of pixels takes long: a program's text is drawn behind its write, and others run between
 * two rows. The kernel's own is drawn at once where no thread runs, and when it is about to stop.
 */
#include "dev/screen.h"
#include "cpu/current.h"
#include "cpu/window.h"
#include "lib/string.h"

#define COLUMNS_MAX 256
#define ROWS_MAX 96
#define PAGE_COLUMNS 80 /* minimum for every page */
#define PAGE_ROWS 25
#define LINES 1080 /* pixels; a higher screen gets a larger font */
#define PARAMETERS 2

static const struct screen_driver *const drivers[] = {
        [SCREEN_NONE] = NULL,
        [SCREEN_OTHER] = NULL,
        [SCREEN_TEXT] = &text_driver,
        [SCREEN_PIXELS] = &pixels_driver,
};

static const struct boot_screen *device;
static const struct screen_driver *driver;
static bool shown, at_once;
static uint16_t cells[ROWS_MAX][COLUMNS_MAX], drawn[ROWS_MAX][COLUMNS_MAX];
static bool changed[ROWS_MAX], some_changed;
static unsigned columns, rows;
static unsigned first; /* the row that is drawn first */

/* The writers: the console at its text's end, between two rows, and a program's page anywhere. */
static struct cursor {
        unsigned column, row, top, bottom; /* scrolling rows: top to bottom - 1 */
        uint16_t inverse;
} text, page;
static bool covered; /* a page covers the text */

static enum { PLAIN, ESCAPE, CONTROL } state;
static unsigned parameters[PARAMETERS], parameter;

static unsigned screen_least(unsigned a, unsigned b)
{
        return a < b ? a : b;
}

/* Letters have 16 of 1,080 lines or more, as long as a page fits. */
static unsigned scale_of(const struct boot_screen *screen)
{
        unsigned scale = (screen->height + LINES - 1) / LINES;
        while (scale > 1 && (screen->width < PAGE_COLUMNS * driver->cell_width * scale ||
                             screen->height < PAGE_ROWS * driver->cell_height * scale))
                scale--;
        return scale ? scale : 1;
}

void screen_init(const struct boot_screen *screen)
{
        device = screen;
        driver = drivers[screen->kind];
        if (!driver)
                return;
        unsigned scale = scale_of(screen);
        columns = screen_least(screen->width / (driver->cell_width * scale), COLUMNS_MAX);
        rows = screen_least(screen->height / (driver->cell_height * scale), ROWS_MAX);
        for (unsigned r = 0; r < rows; r++)
                for (unsigned c = 0; c < columns; c++)
                        cells[r][c] = drawn[r][c] = ' ';
        text.bottom = page.bottom = rows;
        shown = driver->open(device, scale);
}

const char *screen_wrong(void)
{
        if (device->kind == SCREEN_NONE)
                return "The loader has found no screen";
        if (device->kind == SCREEN_OTHER)
                return "This screen is neither text nor a framebuffer of 15 to 32 bits a pixel";
        if (!shown)
                return "This screen has less memory than pixels, or none in this kernel's reach";
        if (columns < PAGE_COLUMNS || rows < PAGE_ROWS)
                return "This screen has less than 80 by 25 characters (640 by 400 pixels)";
        return NULL;
}

void screen_close(void)
{
        columns = rows = 0;
}

unsigned screen_rows(void)
{
        return shown ? rows : 0;
}

unsigned screen_columns(void)
{
        return shown ? columns : 0;
}

bool screen_show_row(void)
{
        unsigned r = first, n = 0;
        while (some_changed && n < rows && !changed[r = (first + n) % rows])
                n++;
        some_changed = some_changed && shown && n < rows;
        if (!some_changed)
                return false;
        changed[r] = false;
        for (unsigned c = 0; c < columns; c++)
                if (drawn[r][c] != cells[r][c]) {
                        uint16_t was = drawn[r][c];
                        driver->draw(c, r, was, drawn[r][c] = cells[r][c]);
                }
        return true;
}

void screen_show(void)
{
        for (unsigned n = rows; n-- && screen_show_row();)
                work_goes_on();
}

void screen_show_at_once(void)
{
        at_once = true;
}

static void screen_put(unsigned c, unsigned r, uint16_t is)
{
        cells[r][c] = is;
        changed[r] = some_changed = true;
}

static void clear_row(unsigned column, unsigned row)
{
        for (unsigned c = column; c < columns; c++)
                screen_put(c, row, ' ');
}

static void scroll(const struct cursor *at, unsigned by)
{
        for (unsigned r = at->top; r < at->bottom; r++, interrupt_window()) {
                if (r + by < at->bottom)
                        words_copy(cells[r], cells[r + by], sizeof cells[r] / WORD);
                else
                        clear_row(0, r);
                changed[r] = some_changed = true;
        }
}

static void new_line(struct cursor *at)
{
        at->column = 0;
        if (++at->row < at->bottom)
                return;
        at->row = at->bottom - 1;
        scroll(at, 1);
}

static void put_character(struct cursor *at, uint8_t c)
{
        if (c == '\n') {
                new_line(at);
                return;
        }
        if (c == '\b') {
                at->column -= at->column != 0;
                return;
        }
        if (at->column == columns)
                new_line(at);
        covered |= at == &page && at->row >= text.top && at->row < text.bottom;
        bool block = at == &page && (c == BLOCK || c == BLOCK_LOWER || c == BLOCK_UPPER);
        screen_put(at->column++, at->row,
                   at->inverse | ((c >= ' ' && c <= '~') || block ? c : '?'));
}

void screen_write(const char *from, size_t count)
{
        for (size_t i = 0; columns && rows && i < count; i++)
                put_character(&text, (uint8_t)from[i]);
        first = text.row;
        while ((!cpu_current || at_once) && screen_show_row())
                ;
}

static void control_place(void)
{
        page.row = screen_least(parameters[0] ? parameters[0] - 1 : 0, rows - 1);
        page.column = screen_least(parameters[1] ? parameters[1] - 1 : 0, columns - 1);
}

static void control_clear(void)
{
        for (unsigned r = 0; r < rows; r++, interrupt_window())
                clear_row(0, r);
        covered = false;
        page.row = page.column = text.column = 0;
        text.row = text.top;
}

static void control_clear_line(void)
{
        clear_row(page.column, page.row);
}

static void control_inverse(void)
{
        page.inverse = parameters[0] == 7 ? CELL_INVERSE : 0;
}

/* Sets the rows that scroll. Text below them is scrolled up until it fits. */
static void control_rows(void)
{
        unsigned top = parameters[0] ? parameters[0] - 1 : 0;
        unsigned bottom = parameters[1] ? screen_least(parameters[1], rows) : rows;
        if (top >= bottom)
                return;
        if (text.row >= bottom) {
                scroll(&(struct cursor){.bottom = rows}, text.row + 1 - bottom);
                text.row = bottom - 1;
        }
        text.top = top;
        text.bottom = bottom;
        if (text.row < top)
                text.row = top;
}

static const struct {
        char final;
        void (*act)(void);
} controls[] = {
        {'H', control_place},   {'J', control_clear}, {'K', control_clear_line},
        {'m', control_inverse}, {'r', control_rows},
};

static void screen_control(uint8_t c)
{
        if (c >= '0' && c <= '9') {
                if (parameters[parameter] < 1000)
                        parameters[parameter] = parameters[parameter] * 10 + (unsigned)(c - '0');
                return;
        }
        if (c == ';') {
                parameter += parameter + 1 < PARAMETERS;
                return;
        }
        state = PLAIN;
        for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
                if (controls[i].final == (char)c)
                        controls[i].act();
}

void screen_draw(const char *from, size_t count)
{
        for (size_t i = 0; columns && rows && i < count; i++) {
                uint8_t c = (uint8_t)from[i];
                if (state == CONTROL) {
                        screen_control(c);
                } else if (state == ESCAPE) {
                        state = c == '[' ? CONTROL : PLAIN;
                        parameters[0] = parameters[1] = parameter = 0;
                } else if (c == '\033') {
                        state = ESCAPE;
                } else {
                        put_character(&page, c);
                }
        }
}

void screen_take(void)
{
        static const char all_rows[] = "\033[r", blank[] = "\033[m\033[2J";
        bool lost = covered || text.top; /* or pixels replace letters */
        if (!rows || !shown)
                return;
        state = PLAIN;
        at_once = true;
        screen_draw(all_rows, sizeof all_rows - 1);
        if (lost) {
                screen_draw(blank, sizeof blank - 1);
                driver->blank();
                memcpy(drawn, cells, sizeof drawn);
        }
        screen_write("", 0);
}

void screen_release(void)
{
        static const char all_rows[] = "\033[r", blank[] = "\033[999H\033[K";
        if (!rows || text.bottom == rows)
                return;
        screen_draw(blank, sizeof blank - 1);
        screen_draw(all_rows, sizeof all_rows - 1);
        screen_write("", 0);
}
