/* ladder.h - reads made and timed in kernel space: the steps of Rubini's ksystime.
 *
 * Called as kernel functions by name (program/export.def). No stub of function.asm is between the
 * stamps: the loop is in the kernel, and passes its counter readings to the program. */
#pragma once
#include <stdint.h>

enum ladder_rung {
        LADDER_NOTHING,   /* an empty pair of RDTSC */
        LADDER_SYS_READ,  /* sys_read() called */
        LADDER_FILE_READ, /* looks up the file, then calls its kind's read */
        LADDER_CACHED,    /* calls the read by a saved pointer */
        LADDER_RUNGS
};

#define LADDER_ROOM 65536
extern uint8_t ladder_buffer[LADDER_ROOM];

/* The counter's low half, as in the article. */
static inline uint32_t ladder_stamp(void)
{
        uint32_t low;
        __asm__ volatile("rdtsc" : "=a"(low) : : "edx", "memory");
        return low;
}

/* The time of the code, from stamp to stamp. */
#define LADDER_TIME(code)                                                                          \
        ({                                                                                         \
                uint32_t start_ = ladder_stamp();                                                  \
                code;                                                                              \
                ladder_stamp() - start_;                                                           \
        })

/* `count` reads of `size` bytes into ladder_buffer, by one method, from the file's current
 * position; `to` gets the TSC differences. */
struct ladder {
        long fd, rung, size, count;
        uint32_t *to;
};
/* The result of one read, or -EBADF, -EINVAL, -EFAULT. */
long ladder_read(const struct ladder *ask);
