/* keyboard.h - a PS/2 keyboard, US layout. */
#ifndef TOLLGATE_DEV_KEYBOARD_H
#define TOLLGATE_DEV_KEYBOARD_H

#include <stdbool.h>
#include <stdint.h>

void keyboard_init(void); /* call before the interrupt controllers are set up */
void keyboard_interrupt(void);
extern bool keyboard_answers; /* it did, in keyboard_init() */

/* Acts as if the keyboard sent this scan code: the controller interrupts, and the handler has run
 * on return. False: no such controller. */
bool keyboard_type(uint8_t code);

#endif
