/*
 * ladder.h - reads made in kernel space, timed there: the rungs of Rubini's ksystime.
 *
 * Kernel functions by name (program/export.def). No stub of function.asm lies between the stamps:
 * the loop is the kernel's, and what it has read off the counter goes to the program.
 */
#ifndef TOLLGATE_UNIX_FILE_LADDER_H
#define TOLLGATE_UNIX_FILE_LADDER_H

#include <stdint.h>

enum ladder_rung {
        LADDER_NOTHING,   /* the pair of RDTSC with nothing between */
        LADDER_SYS_READ,  /* sys_read() called */
        LADDER_FILE_READ, /* the read function of the file's kind called, after the look-up */
        LADDER_CACHED,    /* the same, with the pointer to it kept */
        LADDER_RUNGS
};

#define LADDER_ROOM 65536
extern uint8_t ladder_buffer[LADDER_ROOM];

/* The counter's low half, as the article reads it. */
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

/* `count` reads of `size` bytes into ladder_buffer, by a rung, from where the file's position is;
 * the TSC's differences go to `to`. */
struct ladder {
        long fd, rung, size, count;
        uint32_t *to;
};
/* The result of such a read, or -EBADF, -EINVAL, -EFAULT. */
long ladder_read(const struct ladder *ask);

#endif
