/*
 * screen.h - the screen, if there is one: a grid of characters, shown as text or as pixels.
 *
 * The characters are kept here, so nothing is ever read back from the device: a framebuffer is
 * not cached, and reading it would cost more than everything else.
 */
#ifndef TOLLGATE_DEV_SCREEN_H
#define TOLLGATE_DEV_SCREEN_H

#include "boot.h"

/* From here on text is kept, and shown if it can be: on a text screen at once. */
void screen_init(const struct boot_screen *screen);
/* After space_init: a framebuffer shows what was kept, and what follows. */
void screen_map(void);
void screen_write(const char *text, size_t count);
void screen_close(void); /* nothing more is shown */

struct screen_driver {
        bool direct; /* in the direct map's memory: can be opened before space_init */
        unsigned cell_width, cell_height; /* in the units of struct boot_screen */
        /* Makes it all blank. False = it cannot be shown. */
        bool (*open)(const struct boot_screen *screen);
        /* Shows a character, 0x20 to 0x7e, in place of what was there. */
        void (*draw)(unsigned column, unsigned row, uint8_t was, uint8_t is);
};
extern const struct screen_driver text_driver, pixels_driver;

#endif
