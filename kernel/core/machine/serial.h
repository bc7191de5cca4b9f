/* serial.h - COM1, 115200 8N1: output polled, input by interrupt. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void serial_init(void);
void serial_write(const char *text, size_t count); /* a line feed is sent as CR LF */
void serial_listen(void (*typed)(uint8_t));        /* gives received bytes to `typed` from now on */
void serial_interrupt(void);
void serial_drain(void); /* until the last bit is sent */

extern bool serial_absent;        /* there is no COM1: nothing is written, without waiting */
extern unsigned long serial_lost; /* bytes that it did not accept in time */
