/* keyboard.h - a PS/2 keyboard, US layout. */
#ifndef TOLLGATE_DEV_KEYBOARD_H
#define TOLLGATE_DEV_KEYBOARD_H

#include <stdbool.h>
#include <stdint.h>

void keyboard_init(void); /* before the interrupt controllers are set up */
void keyboard_interrupt(void);
bool keyboard_answers(void); /* one has, in keyboard_init() */

/* As if this scan code came from the keyboard: the controller interrupts, and the handler has taken
 * it by the end. False: there is no such controller. */
bool keyboard_type(uint8_t code);

#endif
