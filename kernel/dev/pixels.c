/* pixels.c - a linear framebuffer of any depth, and a font of 8 by 16 pixels, each drawn as `scale`
 * by `scale` of the screen's.
 *
 * A pixel is all ones or all zeros, so colour layouts do not matter. A line of eight pixels in a
 * glyph is 2 * bytes * scale words of 32 bits; spread[] holds them for every pattern of eight. */
#include "dev/screen.h"
#include "cpu/window.h"
#include "lib/string.h"
#include "mem/space.h"

#define WIDTH 8
#define HEIGHT 16
#define SCALE_MAX 4

/* font.asm: a PC Screen Font, version 1 (kbd's psf.h). */
extern const struct {
        uint8_t magic[2], mode, height;
        uint8_t glyphs[256][HEIGHT];
} font;

static volatile uint8_t *frame;
static struct screen_pixels pixels;
static unsigned pitch, bytes; /* bytes per line, per pixel */
static unsigned scale;
static uint32_t spread[256][WIDTH * SCALE_MAX];

const struct screen_pixels *screen_pixels(void)
{
        return &pixels;
}

static void fill_spread(void)
{
        for (unsigned pattern = 0; pattern < 256; pattern++)
                for (unsigned i = 0; i < WIDTH * scale * bytes; i++)
                        if (pattern >> (WIDTH - 1 - i / (scale * bytes)) & 1)
                                spread[pattern][i / 4] |= 0xffu << i % 4 * 8;
}

static void draw_line(volatile uint8_t *at, uint8_t pattern)
{
        volatile uint32_t *words = (volatile uint32_t *)at;
        for (unsigned i = 0; i < WIDTH * scale * bytes / 4; i++)
                words[i] = spread[pattern][i];
}

static void pixels_blank(void)
{
        for (size_t i = 0; i < pixels.size / 4; i++) {
                if (!(i % 4096))
                        interrupt_window();
                ((volatile uint32_t *)frame)[i] = 0;
        }
}

/* The loader may name more pixels than the device has memory: others' registers lie behind it, or
 * its start again. */
static bool is_all_memory(size_t size)
{
        volatile uint32_t *first = (volatile uint32_t *)frame;
        for (size_t at = 0; at < size; at += PAGE_SIZE) {
                first[at / 4] = (uint32_t)~at;
                if (first[at / 4] != (uint32_t)~at || *first != UINT32_MAX)
                        return false;
        }
        return true;
}

static bool pixels_open(const struct boot_screen *screen, unsigned wanted)
{
        scale = wanted;
        pitch = screen->pitch;
        bytes = (screen->bits + 7u) / 8;
        if (screen->width > 16384 || screen->height > 16384 || pitch > 16384 * 4 ||
            pitch < screen->width * bytes || font.height != HEIGHT || scale > SCALE_MAX)
                return false;
        frame = window_map(screen->address, (size_t)pitch * screen->height, PTE_COMBINING);
        if (!frame || !is_all_memory((size_t)pitch * screen->height))
                return false;
        pixels = (struct screen_pixels){(uint8_t *)frame,
                                        (size_t)pitch * screen->height,
                                        pitch,
                                        screen->width,
                                        screen->height,
                                        screen->bits,
                                        {}};
        memcpy(pixels.colours, screen->colours, sizeof pixels.colours);
        fill_spread();
        pixels_blank();
        return true;
}

static uint8_t pattern(uint16_t cell, unsigned line)
{
        uint8_t glyph = cell & CELL_GLYPH, lit = font.glyphs[glyph][line];
        if (glyph >= BLOCK) /* the font has letters instead */
                lit = glyph == BLOCK || (glyph == BLOCK_LOWER) == (line >= HEIGHT / 2) ? 0xff : 0;
        return cell & CELL_INVERSE ? (uint8_t)~lit : lit;
}

static void pixels_draw(unsigned column, unsigned row, uint16_t was, uint16_t is)
{
        volatile uint8_t *at =
                frame + ((size_t)row * HEIGHT * pitch + column * WIDTH * bytes) * scale;
        for (unsigned line = 0; line < HEIGHT * scale; line++, at += pitch)
                if (pattern(is, line / scale) != pattern(was, line / scale))
                        draw_line(at, pattern(is, line / scale));
        interrupt_window();
}

const struct screen_driver pixels_driver = {WIDTH, HEIGHT, pixels_open, pixels_draw, pixels_blank};
