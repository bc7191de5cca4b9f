/* checksum.h - a checksum that shows whether the kernel has been changed. */
#pragma once
#include <stdint.h>

/* The current checksum of the kernel's code and constants, GDT and IDT, control and debug
 * registers. It is taken with the current thread's call gate, INT gates and TLS descriptors, and
 * with the chosen fence. */
uint32_t kernel_checksum(void);
