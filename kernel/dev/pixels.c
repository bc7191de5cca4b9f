/*
 * pixels.c - a linear framebuffer of any depth, and a font of eight pixels by sixteen.
 *
 * A pixel is all ones or all zeros, so no layout of colours matters. A glyph's line of eight
 * pixels is 2 * bytes words of 32 bits; spread[] holds them for every pattern of eight pixels.
 */
#include "dev/screen.h"
#include "lib/string.h"
#include "mem/space.h"

#define WIDTH 8
#define HEIGHT 16

/* font.asm: a PC Screen Font, version 1 (kbd's psf.h). */
extern const struct {
        uint8_t magic[2], mode, height;
        uint8_t glyphs[256][HEIGHT];
} font;

static volatile uint8_t *frame;
static unsigned pitch, bytes; /* per line, per pixel */
static uint32_t spread[256][WIDTH];

static void fill_spread(void)
{
        for (unsigned pattern = 0; pattern < 256; pattern++)
                for (unsigned i = 0; i < WIDTH * bytes; i++)
                        if (pattern >> (WIDTH - 1 - i / bytes) & 1)
                                spread[pattern][i / 4] |= 0xffu << i % 4 * 8;
}

static void draw_line(volatile uint8_t *at, uint8_t pattern)
{
        volatile uint32_t *words = (volatile uint32_t *)at;
        for (unsigned i = 0; i < WIDTH * bytes / 4; i++)
                words[i] = spread[pattern][i];
}

static bool open(const struct boot_screen *screen)
{
        pitch = screen->pitch;
        bytes = (screen->bits + 7u) / 8;
        if (screen->width > 16384 || screen->height > 16384 || pitch > 16384 * 4 ||
            pitch < screen->width * bytes || font.height != HEIGHT)
                return false;
        frame = window_map(screen->address, (size_t)pitch * screen->height);
        if (!frame)
                return false;
        fill_spread();
        for (size_t i = 0; i < (size_t)pitch * screen->height / 4; i++)
                ((volatile uint32_t *)frame)[i] = 0;
        return true;
}

static void draw(unsigned column, unsigned row, uint8_t was, uint8_t is)
{
        volatile uint8_t *at = frame + (size_t)row * HEIGHT * pitch + column * WIDTH * bytes;
        for (unsigned line = 0; line < HEIGHT; line++, at += pitch)
                if (font.glyphs[is][line] != font.glyphs[was][line])
                        draw_line(at, font.glyphs[is][line]);
}

const struct screen_driver pixels_driver = {false, WIDTH, HEIGHT, open, draw};
