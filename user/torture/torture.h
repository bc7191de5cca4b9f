/* torture.h - the rows that the driver (main.c) does: random deeds, each repeatable by its number,
 * or cases, each with a name and the ends that it may have (attack.h). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct random {
        uint64_t state;
};

/* The generator of deed `index` of a seed: independent of every other deed. */
struct random random_of(uint64_t seed, uint64_t index);
uint32_t random_next(struct random *random);
uint32_t random_below(struct random *random, uint32_t limit);
/* A word that has confused kernels: addresses, sizes, numbers at the limits. `own` is memory of the
 * program that may be passed. */
uintptr_t random_word(struct random *random, uintptr_t own);

struct attack;
#define ATTACK_NAME 64

struct row {
        const char *name;
        /* Of cases: makes the i-th of `whole`; a generated name is written to `name`. */
        void (*at)(unsigned i, struct attack *attack, char name[ATTACK_NAME]);
        unsigned (*whole)(void); /* number of cases, or of deeds if it is finite */
        /* Of deeds: 0, or -errno: not in this kernel. How one ended, below 256, and its name. */
        long (*init)(void);
        unsigned (*act)(struct random *random);
        void (*outcome_name)(unsigned outcome, char *to, unsigned size);
        unsigned varied; /* number of different ends that shows enough coverage */
        /* If 0 or NULL, a field has the value for all rows. */
        unsigned chunk;      /* deeds per child; a single one's end is its status */
        unsigned limit;      /* milliseconds for these deeds */
        bool asked;          /* it is done only if its name is given */
        bool trusted;        /* it is for ring 0, too */
        void (*begin)(void); /* in each child, before its deeds */
        void (*beside)(struct random random); /* once for each child, in its parent, before it */
        const char *(*harm)(void);            /* after each child: the harm done, or NULL */
        void (*end)(void);                    /* after that */
};

extern const struct row *const all_rows[]; /* of a program; NULL ends them */

extern bool torture_tells; /* describes each deed in words */
extern uint32_t torture_deed;
void program_begins(struct random random); /* another one, for tools/audit/reach.c */
