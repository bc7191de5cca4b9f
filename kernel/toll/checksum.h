/* checksum.h - whether the kernel is still what it was. */
#ifndef TOLLGATE_TOLL_CHECKSUM_H
#define TOLLGATE_TOLL_CHECKSUM_H

#include <stdint.h>

/* Of the kernel's code and constants, GDT and IDT, control and debug registers, as they are now:
 * the call gate, INT gates and TLS descriptors are those of the current thread, the stamps have the
 * fence that was chosen. */
uint32_t kernel_checksum(void);

#endif
