/* vdso.h - functions of the image at AT_SYSINFO_EHDR (docs/programs.md). */
#pragma once
#include "linux.h"

struct timeval {
        long seconds, microseconds;
};

/* The auxiliary vector's value for this key, or 0. */
uintptr_t auxiliary(char **environment, uintptr_t key);
#define AT_SYSINFO 32 /* Linux's linux/auxvec.h */
#define AT_SYSINFO_EHDR 33

/* A function of the image, or NULL. */
const void *vdso_function(char **environment, const char *name);

/* The talk's prelinking: weak, so a program's own definition replaces it. Uses the image after
 * vdso_link(), else a system call. */
int gettimeofday(struct timeval *to, void *zone);
void vdso_link(char **environment);
