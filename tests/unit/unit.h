/* unit.h - included first by every unit test: cmocka, the host's libc, chance, exact buffers. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* kernel/core/lib/printf.c under the names that the Makefile gives it; no format attribute, because
 * the tests pass wrong formats on purpose. */
int kernel_vsnprintf(char *to, size_t size, const char *format, va_list arguments);

/* Numbers that look random and are the same in every run (Steele, Lea, Flood: "SplitMix64"). */
static inline uint64_t chance(void)
{
        static uint64_t state = 2015; /* the year of the paper */
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
}

static inline size_t chance_below(size_t limit)
{
        return (size_t)(chance() % limit);
}

/* A copy on the heap: AddressSanitizer stops an access beyond either end. The caller frees it. */
static inline void *exact_copy(const void *from, size_t size)
{
        void *copy = malloc(size ? size : 1);
        assert_non_null(copy);
        return memcpy(copy, from, size);
}

/* A file's bytes, on the heap: the caller frees them. */
static inline uint8_t *load_file(const char *path, size_t *size)
{
        FILE *file = fopen(path, "rb");
        if (!file || fseek(file, 0, SEEK_END)) {
                perror(path);
                exit(2);
        }
        *size = (size_t)ftell(file);
        uint8_t *bytes = malloc(*size);
        rewind(file);
        if (fread(bytes, 1, *size, file) != *size) {
                perror(path);
                exit(2);
        }
        fclose(file);
        return bytes;
}

/* An error message is a sentence. */
static inline void assert_sentence(const char *text)
{
        assert_non_null(text);
        assert_in_range(strlen(text), 10, 80);
}
