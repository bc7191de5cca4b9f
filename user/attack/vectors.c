/* vectors.c - INT n, for every n. */
#include "attack.h"

extern const unsigned char vector_stubs[256][4];

static void interrupt(uintptr_t vector)
{
        long pid_call = NUMBER_getpid;
        const void *stub = vector_stubs[vector];
        __asm__ volatile("call *%1" : "+a"(pid_call) : "r"(stub) : "memory", "cc");
}

static unsigned count(void)
{
        return 256;
}

/* Vectors 3 and 4 have gates for programs, and 80h; 81h to 83h only while their row is armed. */
static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        snprintf(name, ATTACK_NAME, "int/%x", i);
        *attack = (struct attack){name, i == 3 ? TRAP : i == 0x80 ? LIVES : SEGV, interrupt, i};
}

const struct subject vectors_subject = {"vectors", count, at};
