/*
 * input.h - what was typed, from interrupt handlers to the terminal: a ring of bytes. What does not
 * fit is lost.
 */
#ifndef TOLLGATE_DEV_INPUT_H
#define TOLLGATE_DEV_INPUT_H

#include <stdint.h>

void input_put(uint8_t byte); /* from a handler; sets WORK_DEVICE */
int input_take(void);         /* the next byte, or -1 */

#endif
