/*
 * printf.h - formatted text, freestanding.
 *
 * %c %s %d %u %x %p %%, with the sizes l, ll and z, a width, `-` and `0`. `.*` cuts a
 * string. Returns the length the whole text has; what does not fit in `size` is cut, always
 * terminated.
 */
#ifndef TOLLGATE_CORE_LIB_PRINTF_H
#define TOLLGATE_CORE_LIB_PRINTF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

int vsnprintf(char *to, size_t size, const char *format, va_list arguments);
/* The same with strings that anybody may have chosen: what cannot be printed of them is `?`, and of
 * what is longer than a line, the beginning is shown. */
int vsnprintf_foreign(char *to, size_t size, const char *format, va_list arguments);
int snprintf(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Divides *value by a 32-bit divisor and returns the remainder: i386 has no 64-bit division. */
uint32_t divide64(uint64_t *value, uint32_t divisor);

#endif
