/* screen.h - the screen, if there is one: a grid of characters, shown as text or as pixels.
 *
 * The characters are kept here, so nothing is ever read back from the device: a framebuffer is
 * not cached, and reading it would cost more than everything else. */
#pragma once
#include "boot.h"

/* Shows text from here on, if possible. Needs no frames and no interrupts, so it runs first. */
void screen_init(const struct boot_screen *screen);
/* NULL, or a sentence about why nothing is shown. */
const char *screen_wrong(void);
void screen_close(void); /* nothing is shown any more */
/* The size of the text in characters; 0 = no screen. */
unsigned screen_rows(void), screen_columns(void);

void screen_write(const char *text, size_t count); /* the console's text, at its end */

/* The page that a program draws: text at a cursor of its own, and these controls (ECMA-48):
 *   ESC [ row ; column H    the cursor there, from 1
 *   ESC [ 2 J, ESC [ K      the screen is blank, the console's text begins at its top again; the
 *                           line from the cursor on
 *   ESC [ 7 m, ESC [ m      inverse on; inverse off
 *   ESC [ top ; bottom r    the rows for the console's text; without numbers all */
void screen_draw(const char *text, size_t count);

bool screen_show_row(void);     /* draws a row that has changed; false = none has */
void screen_show(void);         /* draws all of them; others run between two rows */
void screen_show_at_once(void); /* before the kernel stops: its next sentences are drawn at once */

/* Prepares for the kernel's last message: removes programs' drawings and uses all rows for text. */
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

/* The framebuffer; `at` is NULL if the screen has none. */
struct screen_pixels {
        uint8_t *at;
        size_t size; /* bytes */
        uint32_t pitch, width, height;
        uint8_t bits;                    /* per pixel */
        struct screen_colour colours[3]; /* red, green, blue */
};
const struct screen_pixels *screen_pixels(void);

struct screen_driver {
        unsigned cell_width, cell_height; /* units as in struct boot_screen */
        /* Blanks the screen; each unit of a cell is `scale` of the device's. False = not
         * possible. */
        bool (*open)(const struct boot_screen *screen, unsigned scale);
        /* Draws a cell over the old one. */
        void (*draw)(unsigned column, unsigned row, uint16_t was, uint16_t is);
        void (*blank)(void); /* blank as after open(), whatever was drawn */
};
extern const struct screen_driver text_driver, pixels_driver;
