/* input.h - typed bytes, passed from interrupt handlers to the terminal in a ring. Bytes that do
 * not fit are lost. */
#pragma once
#include <stdint.h>

void input_put(uint8_t byte); /* called by a handler; sets WORK_DEVICE */
int input_take(void);         /* the next byte, or -1 */
