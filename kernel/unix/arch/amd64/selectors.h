/* selectors.h - the data segments of a 32-bit program on amd64: the registers are its own. */
#pragma once
#include "arch.h"

#define CS32 USER_CS32

struct selectors {
        uint16_t gs, fs, es, ds;
};

static inline struct selectors selectors_of(const struct frame *frame __attribute__((unused)))
{
        struct selectors s;
        __asm__ volatile("mov %%gs, %0; mov %%fs, %1; mov %%es, %2; mov %%ds, %3"
                         : "=m"(s.gs), "=m"(s.fs), "=m"(s.es), "=m"(s.ds));
        return s;
}

static inline void selectors_set_data(struct frame *frame __attribute__((unused)), uint16_t es,
                                      uint16_t ds)
{
        __asm__ volatile("mov %0, %%es; mov %1, %%ds" : : "r"(es), "r"(ds));
}
