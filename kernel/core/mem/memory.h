/* memory.h - a program's memory: its areas, its page tables and its page faults.
 *
 * Threads share one struct memory (`users` counts them). Pages come on demand: zero on the first
 * touch, copied on the first write after a fork. The pages of a program at CPL 0 are supervisor
 * pages, all others user pages; W^X holds for every page. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "arch.h"
#include "errno.h"
#include "above.h"
#include "origin.h"

#define AREA_READ 1 /* Linux's PROT_ bits */
#define AREA_WRITE 2
#define AREA_EXECUTE 4
#define AREA_ACCESS 7
#define AREA_GROWS_DOWN 0x100 /* a stack: may grow down to its limit */
#define AREA_SHARED 0x200     /* both sides of a fork share its pages */
#define AREA_READ_ONLY 0x400  /* never written: a read-only file, or the kernel's own */
#define AREA_CALLS 0x800      /* text with system calls made into calls, or their slots */

#define AREAS_MAX 1024 /* areas in one memory */

/* Nothing is mapped below: neither page 0 nor memory that virtual-8086 code can reach (SDM 3B,
 * "8086 Emulation"). QEMU 7.2 lets ring 3 enter that mode by IRET, with IOPL 3. */
#define MEMORY_LOWEST 0x110000

#define STACK_GUARD (256 * PAGE_SIZE) /* below a stack, mapped only on request; Linux's gap */

struct node; /* node/node.h */

struct area {
        uintptr_t start, end; /* whole pages, end exclusive */
        unsigned flags;
        unsigned of_zeros; /* its AREA_ACCESS bits that allow filling a page with zeros */
        pte_t entry;       /* page-table bits of its pages */
        struct node *node; /* the file that its pages come from (held), or NULL */
        uint64_t offset;   /* file offset of its start, whole pages */
        struct area *next; /* by address */

        /* mem/tree.c: its children (lower, higher), the bounds of their subtree and itself, the
         * widest gap between them, and the height */
        struct area *child[2];
        uintptr_t low, high;
        size_t room;
        unsigned height;
};

struct memory {
        unsigned users;
        enum origin origin;       /* its programs' origin; decides privilege, limit, gate page */
        uintptr_t space;          /* root page table */
        uintptr_t limit;          /* end of the program's half, where its threads' limits start */
        uintptr_t program;        /* start address of the program it was made for */
        uintptr_t heap, heap_end; /* brk: the start and current end */
        uintptr_t arguments, environment, strings_end; /* addresses as at the program's start */
        struct area *areas;                            /* the first */
        struct area *tree;                             /* root of the tree */
        struct area *found;                            /* area of the last fault, or area_nowhere */
        uintptr_t gap, gap_end; /* the gap of the last fault outside all areas */
        unsigned area_count;
        size_t resident, peak;  /* pages now; the most so far, updated when pages are freed */
        size_t tables;          /* page tables now, but the root and the kernel's own */
        bool stray;             /* there may be page tables outside of areas */
        uint64_t order;         /* order of creation: a fork's child has a later one */
        unsigned moves;         /* of areas with a file */
        unsigned asked, served; /* changes of its areas, by memory_change() (process/change.h) */
        struct node *executes;  /* held: the program's file, which may not be written meanwhile */
};

/* An empty memory with its gate page. NULL = out of memory. */
struct memory *memory_create(enum origin origin);
static inline void memory_hold(struct memory *memory)
{
        memory->users++;
}
void memory_leave(struct memory *memory); /* removes a user; the last one frees it; or NULL */
bool memory_shed(struct memory *memory);  /* frees most before that, with turns; false: nothing */
static inline void memory_release(struct memory *memory)
{
        memory_shed(memory);
        memory_leave(memory);
}

/* Each returns 0 or -errno; the caller aligns addresses and keeps them below the limit. Long ones
 * let other threads run, which may not change areas meanwhile. memory_map() replaces areas. */
CAN_FAIL int memory_map(struct memory *memory, uintptr_t start, size_t size, unsigned flags);
/* Maps a file, from a page boundary on. */
CAN_FAIL int memory_map_file(struct memory *memory, uintptr_t start, size_t size, unsigned flags,
                             struct node *node, uint64_t offset);
int memory_unmap(struct memory *memory, uintptr_t start, size_t size);
/* Whether the range has no area, and no stack directly above. */
bool memory_is_free(const struct memory *memory, uintptr_t start, size_t size);
/* The first area that ends above `address`; NULL = none. */
struct area *memory_area(const struct memory *memory, uintptr_t address);
/* Frees the pages of areas without these flags; the next touch finds zeros. If they are many, other
 * threads run meanwhile. */
void memory_drop(struct memory *memory, uintptr_t start, uintptr_t end, unsigned but_flags);

/* For exec: copies into any memory, ignoring its protection. False = out of memory, or nothing is
 * mapped there. */
CAN_FAIL bool memory_fill(struct memory *memory, uintptr_t to, const void *from, size_t size);

/* `access` is AREA_READ, AREA_WRITE or AREA_EXECUTE. */
enum fault memory_fault(struct memory *memory, uintptr_t address, unsigned access);

static inline size_t memory_peak(const struct memory *memory) /* the peak number of pages */
{
        return memory->resident > memory->peak ? memory->resident : memory->peak;
}

/* Limits above which other threads run during the work: number of pages, and of page tables if a
 * walk finds tables as fast as their pages. */
#define MANY 1024
#define FEW 64

/* Shared by area.c and memory.c: page-table bits of an area; page-table bits of a frame in an area
 * (a private frame with several users is not writable); and the page at an address, ignoring
 * protection and allocated if missing, NULL = no memory or no area. */
extern struct area area_nowhere; /* contains no address */
pte_t memory_entry_bits(const struct memory *memory, unsigned flags);
pte_t memory_entry(const struct area *area, uintptr_t frame);
uint8_t *memory_page(struct memory *memory, uintptr_t address);
/* Frees the pages behind the end of a file, which stays at `size` until this returns, so no fault
 * can map one again. Other threads run meanwhile; the memory is held. */
void memory_cut(struct memory *memory, const struct node *node, uint64_t size);
