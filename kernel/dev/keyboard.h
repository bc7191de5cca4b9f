/* keyboard.h - a PS/2 keyboard, US layout. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

void keyboard_init(void); /* call before the interrupt controllers are set up */
void keyboard_interrupt(void);
extern bool keyboard_answers; /* it did, in keyboard_init() */

/* Acts as if the keyboard sent this scan code: the controller interrupts, and the handler has run
 * on return. False: no such controller. */
bool keyboard_type(uint8_t code);
