/* keys.h - reads single keys, from the keyboard or the serial line. */
#pragma once
#include <stdbool.h>

enum key {
        KEY_NONE, /* no key was pressed */
        KEY_INTERRUPT = 3,
        KEY_UP = 0x100,
        KEY_DOWN,
        KEY_PAGE_UP,
        KEY_PAGE_DOWN,
        KEY_HOME,
        KEY_END,
        KEY_OTHER
};

bool keys_open(void);           /* no echo; ^C is a key. False = no terminal */
void keys_close(void);          /* lines again */
int key_wait(int milliseconds); /* a character or an enum key; -1: no time limit */
