/* segments.h - the data segments of a program on i386: DS and ES in the frame, FS and GS its own.
 */
#ifndef TOLLGATE_SEGMENTS_H
#define TOLLGATE_SEGMENTS_H

#include "arch.h"

#define CS32 USER_CS

struct segments {
        uint16_t gs, fs, es, ds;
};

static inline struct segments segments_of(const struct frame *frame)
{
        struct segments s = {.es = (uint16_t)frame->es, .ds = (uint16_t)frame->ds};
        __asm__ volatile("mov %%gs, %0; mov %%fs, %1" : "=m"(s.gs), "=m"(s.fs));
        return s;
}

static inline void segments_set_data(struct frame *frame, uint16_t es, uint16_t ds)
{
        frame->es = es;
        frame->ds = ds;
}

#endif
