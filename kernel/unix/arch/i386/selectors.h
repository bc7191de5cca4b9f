/* selectors.h - a program's data segments on i386: DS and ES in the frame, FS and GS its own. */
#pragma once
#include "arch.h"

#define CS32 USER_CS

struct selectors {
        uint16_t gs, fs, es, ds;
};

static inline struct selectors selectors_of(const struct frame *frame)
{
        struct selectors s = {.es = (uint16_t)frame->es, .ds = (uint16_t)frame->ds};
        __asm__ volatile("mov %%gs, %0; mov %%fs, %1" : "=m"(s.gs), "=m"(s.fs));
        return s;
}

static inline void selectors_set_data(struct frame *frame, uint16_t es, uint16_t ds)
{
        frame->es = es;
        frame->ds = ds;
}
