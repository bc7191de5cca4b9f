/* string.c - the memory and string functions of C, freestanding: short rather than fast. */
#include "lib/string.h"

void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
        void *start = to;
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
        return start;
}

void *memmove(void *to, const void *from, size_t count)
{
        unsigned char *t = to;
        const unsigned char *f = from;
        if (t <= f || t >= f + count)
                return memcpy(to, from, count);
        for (; count >= sizeof(loose_word); count -= sizeof(loose_word))
                ((loose_word *)(t + count))[-1] = ((const loose_word *)(f + count))[-1];
        while (count--)
                t[count] = f[count];
        return to;
}

void *memset(void *to, int byte, size_t count)
{
        void *start = to;
        __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(byte) : "memory");
        return start;
}

int memcmp(const void *a, const void *b, size_t count)
{
        const unsigned char *x = a, *y = b;
        size_t i = 0;
        while (count - i >= sizeof(loose_word) &&
               *(const loose_word *)(x + i) == *(const loose_word *)(y + i))
                i += sizeof(loose_word);
        for (; i < count; i++)
                if (x[i] != y[i])
                        return x[i] - y[i];
        return 0;
}

size_t strlen(const char *text)
{
        size_t length = 0;
        while (text[length])
                length++;
        return length;
}

int strcmp(const char *a, const char *b)
{
        while (*a && *a == *b)
                a++, b++;
        return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t count)
{
        while (count && *a && *a == *b)
                a++, b++, count--;
        return count ? (unsigned char)*a - (unsigned char)*b : 0;
}

char *strchr(const char *text, int c)
{
        while (*text != (char)c)
                if (!*text++)
                        return NULL;
        return (char *)text;
}

char *strstr(const char *text, const char *part)
{
        size_t length = strlen(part);
        while (strncmp(text, part, length))
                if (!*text++)
                        return NULL;
        return (char *)text;
}
