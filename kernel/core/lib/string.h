/* string.h - the memory and string functions of C, freestanding. */
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef uintptr_t loose_word __attribute__((aligned(1))); /* a word at an unaligned address */

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
int memcmp(const void *a, const void *b, size_t count);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t count);
char *strchr(const char *text, int c);
char *strstr(const char *text, const char *part);
