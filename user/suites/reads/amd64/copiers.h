/* copiers.h - architecture-specific copies; in long mode there is none through FS. */
#pragma once
#include <stddef.h>

#define REP_MOVS_WORDS "rep movsq"

#define THROUGH_FS_MISSING                                                                         \
        "FS held the map of user space where it has a limit, which long mode ignores"

static inline void copy_through_fs(void *to, const void *from, size_t size)
{
}
