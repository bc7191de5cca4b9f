/* keyboard.h - a PS/2 keyboard, US layout. */
#ifndef TOLLGATE_KEYBOARD_H
#define TOLLGATE_KEYBOARD_H

void keyboard_init(void); /* before the interrupt controllers are set up */
void keyboard_interrupt(void);

#endif
