/* status.h - exit statuses of `codes alone=N` and `codes toll=N`, for the menu. */
#pragma once
#define CODES_PRESSED 3 /* a key was pressed */
#define CODES_LAST 4    /* that was the last code: the first is next */
#define CODES_NO_ROOM 5 /* the screen has no room for all of the toll's codes at once */
#define CODES_KEYS 127  /* '!' up to this: the menu key that was pressed */
