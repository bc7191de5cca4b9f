/* text.c - the VGA text screen: cells of a character and a colour. */
#include "cpu/cpu.h"
#include "dev/screen.h"
#include "mem/frame.h"

#define WHITE_ON_BLACK 0x0700
#define BLACK_ON_WHITE 0x7000
#define CRTC_INDEX 0x3d4
#define CRTC_DATA 0x3d5
#define CURSOR_START 0x0a
#define CURSOR_OFF 0x20

static volatile uint16_t *memory;
static unsigned columns, cells;

static void text_blank(void)
{
        for (unsigned i = 0; i < cells; i++)
                memory[i] = WHITE_ON_BLACK | ' ';
}

static bool text_begin(const struct boot_screen *screen, unsigned scale)
{
        if (screen->address >= 0x100000)
                return false;
        memory = DIRECT(screen->address);
        columns = screen->width;
        cells = columns * screen->height;
        text_blank();
        out8(CRTC_INDEX, CURSOR_START);
        out8(CRTC_DATA, CURSOR_OFF);
        return true;
}

static void text_draw(unsigned column, unsigned row, uint16_t was, uint16_t is)
{
        memory[row * columns + column] =
                (uint16_t)((is & CELL_INVERSE ? BLACK_ON_WHITE : WHITE_ON_BLACK) |
                           (is & CELL_GLYPH));
}

const struct screen_driver text_driver = {1, 1, text_begin, text_draw, text_blank};
