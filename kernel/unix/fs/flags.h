/* flags.h - the processor's features by the names that Linux gives them in /proc/cpuinfo. */
#ifndef TOLLGATE_UNIX_FS_FLAGS_H
#define TOLLGATE_UNIX_FS_FLAGS_H

#define CPU_FLAGS (5 * 32)
/* The name of a feature that CPUID has and programs may use; NULL = it has not, or there is none.
 */
const char *cpu_flag(unsigned index);

#endif
