/*
 * com2.h - COM2, 115200 8N1: bytes as they are, for programs (file/com2.c). Nothing of the kernel's
 * goes there. What is received waits in a ring; where that is full the UART is left alone, so that
 * who sends by a line that can wait loses nothing.
 */
#ifndef TOLLGATE_DEV_COM2_H
#define TOLLGATE_DEV_COM2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void com2_init(void);
bool com2_absent(void);
bool com2_has(void);                     /* bytes that nobody has taken */
bool com2_look(void);                    /* has it, or comes while we look a while? */
size_t com2_take(void *to, size_t most); /* of those */
bool com2_put(uint8_t byte);             /* false: the UART takes none now */

#endif
