/* screen.c - shows a code: on /dev/fb0 if there are pixels, else in half blocks.
 *
 * Meanwhile the console has the last row, for messages about the code. */
#include "screen.h"
#include "code.h"
#include "console.h"
#include "framebuffer.h"
#include "page.h"

#define PIXELS "/dev/fb0"
#define LEAST 3          /* whole pixels of a module that a camera can still resolve */
#define LINE (16384 * 4) /* bytes of the longest */
#define UPPER "\337"     /* code page 437: upper half light, lower half, both */
#define LOWER "\334"
#define BOTH "\333"

static int pixels = -1;
static struct fb_var_screeninfo shape;
static struct fb_fix_screeninfo memory;
static struct screen is;

static bool has_pixels(void)
{
        pixels = (int)open(PIXELS, O_RDWR, 0);
        return pixels >= 0 && !ioctl(pixels, FBIOGET_VSCREENINFO, &shape) &&
               !ioctl(pixels, FBIOGET_FSCREENINFO, &memory) && shape.bits_per_pixel >= 8 &&
               memory.line_length <= LINE;
}

static unsigned least(unsigned a, unsigned b)
{
        return a < b ? a : b;
}

static unsigned bytes_each(void)
{
        return (shape.bits_per_pixel + 7) / 8;
}

/* Pixels above the last row of characters. */
static unsigned height(void)
{
        return (page_rows - 1) * (shape.height / page_rows);
}

const char *screen_open(struct screen *screen)
{
        if (!page_open())
                return "nothing is shown on a screen here";
        if (has_pixels()) {
                is = (struct screen){least(shape.width, height()) / LEAST, LEAST};
        } else {
                is = (struct screen){least(page_columns, 2 * (page_rows - 1)), 0};
        }
        *screen = is;
        page_wipe();
        put_format(page_descriptor(), "\033[%u;%ur", page_rows, page_rows);
        return NULL;
}

static bool put_line(const uint8_t *line, size_t size, unsigned row, unsigned column)
{
        uint64_t at = (uint64_t)row * memory.line_length + column;
        return system_call(NUMBER_pwrite64, pixels, line, size, (long)at, (long)(at >> 32)) ==
               (long)size;
}

/* A row of modules, with the light margin, over `side` pixels. */
static void fill_line(uint8_t *line, unsigned y, unsigned side)
{
        unsigned size = code_size(), modules = size + 2 * CODE_QUIET, bytes = bytes_each();
        for (unsigned x = 0, at = 0; x < modules; x++) {
                unsigned end = (x + 1) * side / modules;
                bool dark = x >= CODE_QUIET && y >= CODE_QUIET && x - CODE_QUIET < size &&
                            y - CODE_QUIET < size && code_dark(x - CODE_QUIET, y - CODE_QUIET);
                memset(line + (size_t)at * bytes, dark ? 0 : 0xff, (size_t)(end - at) * bytes);
                at = end;
        }
}

/* Modules are whole pixels if they have LEAST or more; otherwise some have one more than others. */
bool area_draw(const struct area *area)
{
        static uint8_t line[LINE];
        unsigned modules = code_size() + 2 * CODE_QUIET, bytes = bytes_each();
        unsigned side = least(area->width, area->height);
        if (side / modules >= LEAST)
                side -= side % modules;
        unsigned top = area->top + (area->height - side) / 2;
        unsigned left = area->left + (area->width - side) / 2;
        for (unsigned y = 0, row = 0; y < modules; y++) {
                fill_line(line, y, side);
                for (; row < (y + 1) * side / modules; row++)
                        if (!put_line(line, (size_t)side * bytes, top + row, left * bytes))
                                return false;
        }
        return true;
}

void area_blank(const struct area *area)
{
        static const uint8_t line[LINE];
        unsigned bytes = bytes_each();
        for (unsigned row = area->top; row < area->top + area->height; row++)
                put_line(line, area->width * bytes, row, area->left * bytes);
}

unsigned area_side(const struct area *area, unsigned halves)
{
        return least(area->width, area->height) * 2 / halves;
}

struct area screen_all(void)
{
        return (struct area){0, 0, shape.width, height()};
}

bool screen_beside(unsigned columns, struct area *area)
{
        if (!page_open() || !has_pixels() || columns >= page_columns)
                return false;
        unsigned left = columns * (shape.width / page_columns);
        *area = (struct area){left, 0, shape.width - left, height()};
        return true;
}

static bool light(unsigned x, unsigned y)
{
        unsigned size = code_size();
        return x < CODE_QUIET || y < CODE_QUIET || x - CODE_QUIET >= size ||
               y - CODE_QUIET >= size || !code_dark(x - CODE_QUIET, y - CODE_QUIET);
}

static bool draw_halves(void)
{
        static const char *const halves[2][2] = {{" ", LOWER}, {UPPER, BOTH}};
        unsigned modules = code_size() + 2 * CODE_QUIET, left = (page_columns - modules) / 2;
        for (unsigned y = 0; y < modules; y += 2) {
                put_format(page_descriptor(), "\033[%u;%uH", y / 2 + 1, left + 1);
                for (unsigned x = 0; x < modules; x++)
                        put_text(page_descriptor(),
                                 halves[light(x, y)][y + 1 < modules && light(x, y + 1)]);
        }
        return true;
}

bool screen_draw(void)
{
        const struct area all = screen_all();
        return is.pixels ? area_draw(&all) : draw_halves();
}

void screen_close(void)
{
        const struct area all = {0, 0, shape.width, shape.height};
        if (is.pixels)
                area_blank(&all);
        page_wipe();
        close(pixels);
}
