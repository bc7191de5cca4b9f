/*
 * kernel.h - kernel functions by name, for programs under /trusted: declared here, resolved when
 * the program is loaded; an unknown one refuses it (kernel/unix/program/export.def lists them).
 *
 *      KERNEL_FUNCTION(uint32_t, crc32, const void *data, size_t count);
 *      sum = kernel_crc32(text, length);
 */
#pragma once
#include "program/export.h"

#define KERNEL_FUNCTION(result, name, ...)                                                         \
        result (*kernel_##name)(__VA_ARGS__);                                                      \
        KERNEL_NAME(name, EXPORT_TYPE)
#define KERNEL_DATA(type, name)                                                                    \
        type *kernel_##name;                                                                       \
        KERNEL_NAME(name, EXPORT_TYPE)

/* The same for a program that also runs in ring 3, where the pointers are NULL. */
#define KERNEL_FUNCTION_MAYBE(result, name, ...)                                                   \
        result (*kernel_##name)(__VA_ARGS__);                                                      \
        KERNEL_NAME(name, EXPORT_TYPE_MAYBE)
#define KERNEL_DATA_MAYBE(type, name)                                                              \
        type *kernel_##name;                                                                       \
        KERNEL_NAME(name, EXPORT_TYPE_MAYBE)

#define KERNEL_TEXT_(text) #text
#define KERNEL_TEXT(text) KERNEL_TEXT_(text)
#define KERNEL_NAME(name, kind)                                                                    \
        __asm__(".pushsection .note." EXPORT_NOTE ", \"a\", @note\n"                               \
                ".balign 4\n"                                                                      \
                ".long 2f - 1f, 4f - 3f, " KERNEL_TEXT(kind) "\n"                                  \
                                                             "1: .asciz \"" EXPORT_NOTE "\"\n"     \
                                                             "2: .balign 4\n"                      \
                                                             "3: .long kernel_" #name "\n"         \
                                                             ".asciz \"" #name "\"\n"              \
                                                             "4: .balign 4\n"                      \
                                                             ".popsection")
