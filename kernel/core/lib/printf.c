/* printf.c - formatted text, freestanding (printf.h has the contract). */
#include "lib/printf.h"
#include <stdbool.h>
#include "lib/string.h"

#define FOREIGN_MOST 160 /* characters of a program's string that are shown */

struct sink {
        char *to;
        size_t size, length;
        bool foreign; /* strings may come from a program */
};

static void printf_put(struct sink *sink, char c)
{
        if (sink->length + 1 < sink->size)
                sink->to[sink->length] = c;
        sink->length++;
}

/* A character of a string argument. */
static void put_given(struct sink *sink, char c)
{
        printf_put(sink, sink->foreign && (c < ' ' || c > '~') ? '?' : c);
}

static void put_padded(struct sink *sink, const char *text, int length, int width, bool left,
                       char pad)
{
        for (int i = length; !left && i < width; i++)
                printf_put(sink, pad);
        for (int i = 0; i < length; i++)
                put_given(sink, text[i]);
        for (int i = length; left && i < width; i++)
                printf_put(sink, ' ');
}

uint32_t divide64(uint64_t *value, uint32_t divisor)
{
        uint32_t high = (uint32_t)(*value >> 32), low = (uint32_t)*value, rest = 0;
        uint32_t quotient_high, quotient_low;
        __asm__("divl %4" : "=a"(quotient_high), "=d"(rest) : "0"(high), "1"(rest), "r"(divisor));
        __asm__("divl %4" : "=a"(quotient_low), "=d"(rest) : "0"(low), "1"(rest), "r"(divisor));
        *value = (uint64_t)quotient_high << 32 | quotient_low;
        return rest;
}

static void put_number(struct sink *sink, uint64_t value, bool negative, uint32_t base, int width,
                       bool left, char pad)
{
        char digits[24];
        int at = sizeof digits;
        do
                digits[--at] = "0123456789abcdef"[divide64(&value, base)];
        while (value);
        if (negative)
                digits[--at] = '-';
        put_padded(sink, digits + at, (int)sizeof digits - at, width, left, pad);
}

static int format_to(struct sink sink, const char *format, va_list arguments)
{
        for (; *format; format++) {
                if (*format != '%') {
                        printf_put(&sink, *format);
                        continue;
                }
                const char *percent = format;
                bool left = false;
                char pad = ' ';
                int width = 0, limit = -1, longs = 0;
                for (format++; *format == '-' || *format == '0'; format++) {
                        left |= *format == '-';
                        pad = *format == '0' ? '0' : pad;
                }
                for (; *format >= '0' && *format <= '9'; format++)
                        width = width * 10 + (*format - '0');
                if (*format == '.' && *++format == '*') {
                        limit = va_arg(arguments, int);
                        format++;
                }
                for (; *format == 'l' || *format == 'z'; format++)
                        longs++;

                uint64_t value;
                switch (*format) {
                case 'd': {
                        int64_t number = longs > 1   ? va_arg(arguments, long long)
                                         : longs > 0 ? va_arg(arguments, long)
                                                     : va_arg(arguments, int);
                        value = number < 0 ? -(uint64_t)number : (uint64_t)number;
                        put_number(&sink, value, number < 0, 10, width, left, left ? ' ' : pad);
                        break;
                }
                case 'u':
                case 'x':
                        value = longs > 1   ? va_arg(arguments, unsigned long long)
                                : longs > 0 ? va_arg(arguments, unsigned long)
                                            : va_arg(arguments, unsigned);
                        put_number(&sink, value, false, *format == 'x' ? 16 : 10, width, left,
                                   left ? ' ' : pad);
                        break;
                case 'p':
                        value = (uintptr_t)va_arg(arguments, void *);
                        put_number(&sink, value, false, 16, 2 * sizeof(void *), false, '0');
                        break;
                case 's': {
                        const char *text = va_arg(arguments, const char *);
                        int length = 0;
                        while ((limit < 0 || length < limit) && text[length])
                                length++;
                        if (!sink.foreign || length <= FOREIGN_MOST) {
                                put_padded(&sink, text, length, width, left, ' ');
                        } else {
                                put_padded(&sink, text, FOREIGN_MOST, 0, false, ' ');
                                put_padded(&sink, "...", 3, 0, false, ' ');
                        }
                        break;
                }
                case 'c': {
                        char c = (char)va_arg(arguments, int);
                        put_padded(&sink, &c, 1, width, left, ' ');
                        break;
                }
                case '%': printf_put(&sink, '%'); break;
                default: /* not a conversion: printed unchanged */
                        printf_put(&sink, '%');
                        format = percent;
                }
        }
        if (sink.size)
                sink.to[sink.length < sink.size ? sink.length : sink.size - 1] = 0;
        return (int)sink.length;
}

int vsnprintf(char *to, size_t size, const char *format, va_list arguments)
{
        return format_to((struct sink){to, size, 0, false}, format, arguments);
}

int vsnprintf_foreign(char *to, size_t size, const char *format, va_list arguments)
{
        return format_to((struct sink){to, size, 0, true}, format, arguments);
}

int snprintf(char *to, size_t size, const char *format, ...)
{
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf(to, size, format, arguments);
        va_end(arguments);
        return length;
}
