/* space.h - address spaces and kernel stacks. */
#ifndef TOLLGATE_CORE_MEM_SPACE_H
#define TOLLGATE_CORE_MEM_SPACE_H

#include <stdbool.h>
#include "arch.h"
#include "errno.h"

/* Page-table entry bits (SDM 3A, "Paging-Structure Entries"). */
#define PTE_PRESENT 0x1
#define PTE_WRITE 0x2
#define PTE_USER 0x4
#define PTE_UNCACHED 0x10
#define PTE_DIRTY 0x40
#define PTE_COMBINING 0x90 /* of a window: write-combining where there is PAT, else uncached */
/* Ours to use: */
#define PTE_OWNED 0x200  /* the frame goes with the space, even if not present */
#define PTE_SHARED 0x400 /* it stays shared by both sides of a fork, even if one writes */

/* arch/<arch>/gate.c: the gate page of programs at CPL 0, a supervisor page, where there is one. */
void space_map_trusted_gate(void);

/* Makes the kernel's map: W^X, guard pages, the gate page, nothing at 0. */
void space_init(void);

uintptr_t space_create(void); /* a root table's physical address, 0 = out of memory */
/* With all from `start` on; all below has been dropped. */
void space_destroy(uintptr_t root, uintptr_t start);
extern uintptr_t kernel_space;

/* Maps a frame. False = out of memory for a table. */
CAN_FAIL bool space_map(uintptr_t root, uintptr_t address, uintptr_t frame, pte_t bits);
/* The same in the kernel's map, whose tables are there but at the boot: a lack of memory is a
 * panic. */
void space_map_kernel(uintptr_t address, uintptr_t frame, pte_t bits);
/* The entry that maps `address`, or NULL. */
pte_t *space_entry(uintptr_t root, uintptr_t address);
/* The entry for `address`, whose tables are made; `user` as the page's. NULL = out of memory. */
pte_t *space_reach(uintptr_t root, uintptr_t address, pte_t user);
/* The first entry with a frame of its own from *address on, which moves there; NULL = none below
 * `end`. With turns, NULL below `end` = others are to have theirs, and then it goes on there. */
pte_t *space_next(uintptr_t root, uintptr_t *address, uintptr_t end, bool turns);
/* For fork: both have the pages of a range, and neither may write any more but to those that stay
 * one. The current space is to be entered anew. False = out of memory for a table. */
CAN_FAIL bool space_copy(uintptr_t to, uintptr_t from, uintptr_t start, uintptr_t end);
/* Drops, of a space that nothing enters any more, the pages of a range and the tables that nothing
 * from `next` on needs. */
void space_drop(uintptr_t root, uintptr_t start, uintptr_t end, uintptr_t next);
/* Gives back the tables for `address`, in the program's half, that map nothing any more. */
void space_prune(uintptr_t root, uintptr_t address);
/* Where the stamps of the user half (PROBE_PAGE) and of the kernel half (PROBE_ALIAS) go. */
void space_set_probe(uintptr_t user, uintptr_t kernel);

uintptr_t stack_create(void); /* top of a new kernel stack with a guard page below it, 0 = none */
void stack_destroy(uintptr_t top);
/* Maps device memory, PTE_UNCACHED or PTE_COMBINING, into the kernel's window; once before
 * space_init, too. NULL = no room. */
void *window_map(uint64_t physical, size_t size, pte_t type);

#endif
