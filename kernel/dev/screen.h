/*
 * screen.h - the screen, if there is one: a grid of characters, shown as text or as pixels.
 *
 * The characters are kept here, so nothing is ever read back from the device: a framebuffer is
 * not cached, and reading it would cost more than everything else.
 */
#ifndef TOLLGATE_DEV_SCREEN_H
#define TOLLGATE_DEV_SCREEN_H

#include "boot.h"

/* From here on text is shown, if it can be. Needs no frames and no interrupts: this comes first. */
void screen_init(const struct boot_screen *screen);
/* NULL, or why nothing is shown on it: a sentence. */
const char *screen_wrong(void);
void screen_close(void); /* nothing more is shown */
/* The size of the text in characters; 0 = nothing is shown. */
unsigned screen_rows(void), screen_columns(void);

void screen_write(const char *text, size_t count); /* the console's text, at its end */

/* The page that a program draws: text at a cursor of its own, and these controls (ECMA-48):
 *   ESC [ row ; column H    the cursor there, from 1
 *   ESC [ 2 J, ESC [ K      the screen is blank, the console's text begins at its top again; the
 *                           line from the cursor on
 *   ESC [ 7 m, ESC [ m      what follows is inverse, or is not
 *   ESC [ top ; bottom r    the rows that the console's text has; without numbers all */
void screen_draw(const char *text, size_t count);

/* For the kernel's last words: the drawings of programs go, and all rows are the text's. */
void screen_take(void);

/* The last row is no longer a line of progress (user/lib/progress.c). */
void screen_release(void);

/* A character and how it is shown. */
#define CELL_INVERSE 0x100
#define CELL_GLYPH 0xff
/* Characters of a page besides 0x20 to 0x7e: a block, its lower half, its upper (code page 437). */
#define BLOCK 0xdb
#define BLOCK_LOWER 0xdc
#define BLOCK_UPPER 0xdf

/* The framebuffer; `at` is NULL where the screen has none. */
struct screen_pixels {
        uint8_t *at;
        size_t size; /* bytes */
        uint32_t pitch, width, height;
        uint8_t bits;                    /* per pixel */
        struct screen_colour colours[3]; /* red, green, blue */
};
const struct screen_pixels *screen_pixels(void);

struct screen_driver {
        unsigned cell_width, cell_height; /* in the units of struct boot_screen */
        /* Makes it all blank; each unit of a cell is `scale` of the device's. False = it cannot be
         * shown. */
        bool (*open)(const struct boot_screen *screen, unsigned scale);
        /* Shows a cell in place of what was there. */
        void (*draw)(unsigned column, unsigned row, uint16_t was, uint16_t is);
        void (*blank)(void); /* as after open(), whatever a program has drawn */
};
extern const struct screen_driver text_driver, pixels_driver;

#endif
