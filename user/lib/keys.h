/* keys.h - keys as they come, at the keyboard or on the serial line. */
#ifndef TOLLGATE_USER_LIB_KEYS_H
#define TOLLGATE_USER_LIB_KEYS_H

#include <stdbool.h>

enum key {
        KEY_NONE, /* nobody has pressed one */
        KEY_INTERRUPT = 3,
        KEY_UP = 0x100,
        KEY_DOWN,
        KEY_PAGE_UP,
        KEY_PAGE_DOWN,
        KEY_HOME,
        KEY_END,
        KEY_OTHER
};

bool keys_open(void);           /* without echo; ^C is one of them. False = nobody types here */
void keys_close(void);          /* lines again */
int key_wait(int milliseconds); /* a character or an enum key; -1: without an end */

#endif
