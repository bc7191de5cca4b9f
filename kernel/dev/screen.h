/* screen.h - the screen, if there is one: text, or pixels and a font. */
#ifndef TOLLGATE_SCREEN_H
#define TOLLGATE_SCREEN_H

#include "boot.h"

void screen_init(const struct boot_screen *screen); /* after space_init: maps the memory */
void screen_write(const char *text, size_t count);

#endif
