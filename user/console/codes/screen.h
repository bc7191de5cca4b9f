/* screen.h - a screen for codes: pixels, or characters of half blocks. */
#pragma once
#include <stdbool.h>

struct screen {
        unsigned side;   /* modules per side of the largest code, light margin included */
        unsigned pixels; /* a module's side; 0 = half a character */
};

/* NULL, or a message: why no code can be shown, and a remedy. */
const char *screen_open(struct screen *screen);
/* Draws the last code made. False = not possible. */
bool screen_draw(void);
void screen_close(void); /* blanks it and gives it back to the console */

/* The area beside a page: right of its columns, above the last row. Only with pixels. */
struct area {
        unsigned left, top, width, height;
};
bool screen_beside(unsigned columns, struct area *area); /* false = no room there */
struct area screen_all(void);                            /* the whole of an open screen of pixels */
/* Like `side` above, for modules of this many half pixels. */
unsigned area_side(const struct area *area, unsigned halves);
bool area_draw(const struct area *area); /* draws the last code made */
void area_blank(const struct area *area);
