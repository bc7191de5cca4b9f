/* segments.h - loads a data segment register; loads null if the selector is not valid. */
#pragma once
#include "thread/user.h"

#define SEGMENT_LOAD(segment, selector)                                                            \
        do {                                                                                       \
                __label__ null;                                                                    \
                __asm__ goto("1: mov %0, %%" #segment ";" USER_FIXUP(null)                         \
                             :                                                                     \
                             : "m"(selector)                                                       \
                             :                                                                     \
                             : null);                                                              \
                break;                                                                             \
null:                                                                                              \
                __asm__ volatile("mov %0, %%" #segment : : "r"(0));                                \
        } while (0)
