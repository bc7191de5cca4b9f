/* printf.h - formatted text, freestanding.
 *
 * %c %s %d %u %x %p %%, with the sizes l, ll and z, a width, `-` and `0`. `.*` cuts a string.
 * Returns the length of the whole text. The output is cut to `size` and always terminated. */
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

int vsnprintf(char *to, size_t size, const char *format, va_list arguments);
/* vsnprintf() for strings that a program may have chosen. Unprintable characters become `?`, and a
 * string longer than a line is cut. */
int vsnprintf_foreign(char *to, size_t size, const char *format, va_list arguments);
int snprintf(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Divides *value by a 32-bit divisor and returns the remainder: i386 has no 64-bit division. */
uint32_t divide64(uint64_t *value, uint32_t divisor);
