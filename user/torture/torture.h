/* torture.h - one random deed, repeatable by its number, and what came of it. */
#ifndef TOLLGATE_USER_TORTURE_TORTURE_H
#define TOLLGATE_USER_TORTURE_TORTURE_H

#include <stdbool.h>
#include <stdint.h>

struct random {
        uint64_t state;
};

/* The generator of deed `index` of a seed: independent of every other deed. */
struct random random_of(uint64_t seed, uint64_t index);
uint32_t random_next(struct random *random);
uint32_t random_below(struct random *random, uint32_t limit);
/* A word that kernels have stumbled over: addresses, sizes, numbers at the edges. `own` is memory
 * of the program that may be given away. */
uintptr_t random_word(struct random *random, uintptr_t own);

/* How a deed ended, below 256: what outcome_name() makes of it is counted. */
struct kind {
        const char *name;
        long (*init)(void); /* 0, or -errno: what this kernel lacks */
        unsigned (*act)(struct random *random);
        void (*outcome_name)(unsigned outcome, char *to, unsigned size);
        unsigned varied; /* how many different ends there must be to have reached far */
        /* A field that is 0 or NULL has the value of all kinds. */
        unsigned chunk;      /* deeds of a child; the end of a single one is its status */
        unsigned limit;      /* milliseconds for them */
        bool asked;          /* it is done only if its name is given */
        bool ordered;        /* the order of the ends is part of the tally */
        bool trusted;        /* it is for ring 0, too */
        void (*begin)(void); /* in each child, before its deeds */
        void (*beside)(struct random random); /* once for each child, in its parent, before it */
        const char *(*harm)(void);            /* after it: what has been harmed, or NULL */
        void (*end)(void);                    /* after that */
        uint32_t (*whole)(void); /* how many deeds it has, if there is an end of them */
};

extern const struct kind kind_insn, kind_chaos, kind_program, kind_hostile;
void program_begins(struct random random); /* another one, for tools/audit/reach.c */
extern char *torture_path;                 /* of this program */
extern bool torture_tells;                 /* each deed, in words */
extern uint32_t torture_deed;

#endif
