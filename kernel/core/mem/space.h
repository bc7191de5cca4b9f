/* space.h - address spaces and kernel stacks. */
#pragma once
#include <stdbool.h>
#include "arch.h"
#include "errno.h"

/* Page-table entry bits (SDM 3A, "Paging-Structure Entries"). */
#define PTE_PRESENT 0x1
#define PTE_WRITE 0x2
#define PTE_USER 0x4
#define PTE_UNCACHED 0x10
#define PTE_DIRTY 0x40
#define PTE_COMBINING 0x90 /* for a window: write-combining if there is PAT, else uncached */
/* Bits for our use: */
#define PTE_OWNED 0x200  /* the frame is freed with the space, even if not present */
#define PTE_SHARED 0x400 /* both sides of a fork share it, even after a write */

/* gate.c: maps the supervisor gate page of programs at CPL 0, if there is one. */
void space_map_trusted_gate(void);

/* Builds the kernel's page tables: W^X, guard pages, the gate page, nothing at 0. */
void space_init(void);

uintptr_t space_create(void); /* a root table's physical address, 0 = out of memory */
/* Frees everything from `start` on; pages below have been dropped. */
void space_destroy(uintptr_t root, uintptr_t start);
extern uintptr_t kernel_space;

/* Maps a frame. False = out of memory for a table. */
CAN_FAIL bool space_map(uintptr_t root, uintptr_t address, uintptr_t frame, pte_t bits);
/* Maps in the kernel's tables, which exist except at boot: out of memory is a panic. */
void space_map_kernel(uintptr_t address, uintptr_t frame, pte_t bits);
/* The entry that maps `address`, or NULL. */
pte_t *space_entry(uintptr_t root, uintptr_t address);
struct memory; /* mem/memory.h */
/* The entry for `address`, allocating its tables; `user` as for the page. NULL = out of memory. */
pte_t *space_reach(struct memory *memory, uintptr_t address, pte_t user);
/* The first entry with a frame of its own from *address on; advances *address. NULL = none below
 * `end`. With turns it may also stop below `end`, to let other threads run, and continue there. */
pte_t *space_next(uintptr_t root, uintptr_t *address, uintptr_t end, bool turns);
/* For fork: both get the pages of a range, write-protected unless they stay shared. Reload the
 * current space afterwards. False = out of memory for a table. */
CAN_FAIL bool space_copy(struct memory *to, uintptr_t from, uintptr_t start, uintptr_t end);
/* Frees the pages of a range in a space that is no longer in use, and its tables up to `next`. */
void space_drop(uintptr_t root, uintptr_t start, uintptr_t end, uintptr_t next);
/* Frees the tables for `address`, in the program's half, that are empty. */
void space_prune(struct memory *memory, uintptr_t address);
/* Sets the pages for stamps of the user half (PROBE_PAGE) and kernel half (PROBE_ALIAS). */
void space_set_probe(uintptr_t user, uintptr_t kernel);

uintptr_t stack_create(void); /* top of a new kernel stack with a guard page below it, 0 = none */
void stack_destroy(uintptr_t top);
/* Maps device memory, PTE_UNCACHED or PTE_COMBINING, into the kernel's window; once also before
 * space_init. NULL = no room. */
void *window_map(uint64_t physical, size_t size, pte_t type);
