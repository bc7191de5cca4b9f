/* status.h - how `codes alone=N` and `codes toll=N` end, for the menu that has started them. */
#ifndef TOLLGATE_USER_CONSOLE_CODES_STATUS_H
#define TOLLGATE_USER_CONSOLE_CODES_STATUS_H

#define CODES_PRESSED 3 /* somebody has pressed a key */
#define CODES_LAST 4    /* that was the last code: the next one is the first */
#define CODES_NO_ROOM 5 /* this screen of pixels cannot hold the toll's codes all at once */
#define CODES_KEYS 127  /* from '!' up to it: the key of the menu's that somebody has pressed */

#endif
