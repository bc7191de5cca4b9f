/* flags.h - Linux's names of processor features in /proc/cpuinfo. */
#pragma once
struct text;
/* Prints the names of the features that CPUID reports and programs may use, each behind a space. */
void cpu_flags_print(struct text *text);
