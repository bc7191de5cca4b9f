/* flags.h - Linux's names of processor features in /proc/cpuinfo. */
#ifndef TOLLGATE_UNIX_FS_FLAGS_H
#define TOLLGATE_UNIX_FS_FLAGS_H

struct text;
/* Prints the names of the features that CPUID reports and programs may use, each behind a space. */
void cpu_flags_print(struct text *text);

#endif
