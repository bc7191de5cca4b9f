/* status.h - how `codes alone=N` and `codes toll=N` end, for the menu that has started them. */
#ifndef TOLLGATE_USER_CONSOLE_CODES_STATUS_H
#define TOLLGATE_USER_CONSOLE_CODES_STATUS_H

#define CODES_PRESSED 3 /* somebody has pressed a key */
#define CODES_LAST 4    /* that was the last code: the next one is the first */
#define CODES_KEYS 127  /* from '!' to here: somebody has pressed this key, which is the menu's */
#define CODES_NO_ROOM 5 /* of the toll's at once on this screen of pixels */

#endif
