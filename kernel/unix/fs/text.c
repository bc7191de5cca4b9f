/* text.c - text that is generated when it is read. */
#include "fs/text.h"
#include <stdarg.h>
#include "cpu/window.h"
#include "lib/printf.h"
#include "lib/string.h"

#define LINE 256

void text_add(struct text *text, const void *bytes, size_t count)
{
        uint64_t start = text->length, end = start + count, last = text->from + text->room;
        text->length = end;
        if (end <= text->from || start >= last)
                return;
        size_t before = start < text->from ? (size_t)(text->from - start) : 0;
        size_t part = (size_t)((end < last ? end : last) - start) - before;
        memcpy(text->to + text->size, (const char *)bytes + before, part);
        text->size += part;
}

void text_print(struct text *text, const char *format, ...)
{
        char line[LINE];
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf(line, sizeof line, format, arguments);
        va_end(arguments);
        interrupt_window();
        text_add(text, line, length < LINE ? (size_t)length : LINE - 1);
}
