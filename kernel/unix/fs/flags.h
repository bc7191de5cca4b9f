/* flags.h - Linux's names of processor features in /proc/cpuinfo. */
#ifndef TOLLGATE_UNIX_FS_FLAGS_H
#define TOLLGATE_UNIX_FS_FLAGS_H

#define CPU_FLAGS (5 * 32)
/* The name of a feature that CPUID reports and programs may use; NULL = not, or past the end. */
const char *cpu_flag(unsigned index);

#endif
