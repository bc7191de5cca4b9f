/* checksum.h - a checksum that shows whether the kernel has been changed. */
#ifndef TOLLGATE_TOLL_CHECKSUM_H
#define TOLLGATE_TOLL_CHECKSUM_H

#include <stdint.h>

/* The checksum of the kernel's code and constants, GDT and IDT, control and debug registers, now:
 * the call gate, INT gates and TLS descriptors are those of the current thread, the stamps have the
 * chosen fence. */
uint32_t kernel_checksum(void);

#endif
