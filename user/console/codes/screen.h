/* screen.h - a screen that a code can be drawn on: pixels, or characters of half blocks. */
#ifndef TOLLGATE_USER_CONSOLE_CODES_SCREEN_H
#define TOLLGATE_USER_CONSOLE_CODES_SCREEN_H

#include <stdbool.h>

struct screen {
        unsigned side;   /* modules that a code may have, with what must be light around it */
        unsigned pixels; /* a module's side; 0 = half a character */
};

/* NULL, or why no code can be shown, and what would help: a sentence. */
const char *screen_open(struct screen *screen);
/* Draws the code that was made last. False = the screen did not take it. */
bool screen_draw(void);
void screen_close(void); /* blank, and the console's again */

/* The area beside a page: right of its columns, above the last row. Pixels alone. */
struct area {
        unsigned left, top, width, height;
};
bool screen_beside(unsigned columns, struct area *area); /* false = nothing of it is left */
struct area screen_all(void);                            /* of an open screen of pixels */
/* As `side` above, if a module has so many half pixels. */
unsigned area_side(const struct area *area, unsigned halves);
bool area_draw(const struct area *area); /* the code that was made last */
void area_blank(const struct area *area);

#endif
