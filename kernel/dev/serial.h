/* serial.h - COM1, polled, 115200 8N1. */
#ifndef TOLLGATE_SERIAL_H
#define TOLLGATE_SERIAL_H

#include <stddef.h>

void serial_init(void);
void serial_write(const char *text, size_t count); /* a line feed goes out as CR LF */
void serial_drain(void);                           /* until the last bit has left the wire */

#endif
