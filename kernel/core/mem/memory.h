/*
 * memory.h - a program's memory: its areas, its page tables, and what a page fault makes of them.
 *
 * Threads share one struct memory (`users` counts them). Pages come on demand: zero on the first
 * touch, copied on the first write after a fork. The pages of a program at CPL 0 are supervisor
 * pages, all others user pages; W^X holds for every page.
 */
#ifndef TOLLGATE_CORE_MEM_MEMORY_H
#define TOLLGATE_CORE_MEM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include "arch.h"
#include "errno.h"
#include "found.h"
#include "origin.h"

#define AREA_READ 1 /* Linux's PROT_ bits */
#define AREA_WRITE 2
#define AREA_EXECUTE 4
#define AREA_ACCESS 7
#define AREA_GROWS_DOWN 0x100 /* a stack: its pages may be asked for down to its limit */
#define AREA_SHARED 0x200     /* its pages stay one for both sides of a fork */
#define AREA_READ_ONLY 0x400  /* it never is written: of a file opened so, or the kernel's own */
#define AREA_CALLS 0x800      /* text with rewritten system calls, or the area of their slots */

#define AREAS_MAX 1024 /* of one memory */

/* Nothing is mapped below: not page 0, nor what virtual-8086 code can reach (SDM 3B, "8086
 * Emulation"), which QEMU 7.2 lets ring 3 become by IRET, with IOPL 3. */
#define MEMORY_LOWEST 0x110000

#define STACK_GUARD (256 * PAGE_SIZE) /* never mapped unasked below a stack; Linux's gap */

struct node; /* node/node.h */

struct area {
        uintptr_t start, end; /* whole pages, end exclusive */
        unsigned flags;
        unsigned
                of_zeros; /* its AREA_ACCESS bits, where a page that is not there is one of zeros */
        pte_t entry;      /* the bits of its pages in the page table */
        struct node *node; /* the file that its pages come from, held, or NULL */
        uint64_t offset;   /* of the area's start in it, whole pages */
        struct area *next; /* in the order of addresses */

        /* mem/tree.c: the areas below and above it in the tree, the bounds of these with itself,
         * the widest room between them, and the height */
        struct area *child[2];
        uintptr_t low, high;
        size_t room;
        unsigned height;
};

struct memory {
        unsigned users;
        enum origin origin;       /* of the programs in it; decides privilege, limit, gate page */
        uintptr_t space;          /* root page table */
        uintptr_t limit;          /* end of the program's half, where its threads' limits start */
        uintptr_t program;        /* where the program begins that it was made for */
        uintptr_t heap, heap_end; /* brk: where it starts and where it ends now */
        uintptr_t arguments, environment, strings_end; /* as the program found them */
        struct area *areas;                            /* the first */
        struct area *tree;                             /* the root of all */
        struct area *found;                            /* where the last fault was, or nowhere */
        uintptr_t gap, gap_end; /* where the last one was that found nothing */
        unsigned area_count;
        size_t resident, peak; /* pages that are there; the most that were, up to the last loss */
        bool stray;            /* there may be page tables where no area is */
        uint64_t order;        /* in which memories are made: a fork's child is younger */
        unsigned moves, protects; /* of areas with a file; that go on, with turns of others */
        struct node *executes;    /* held: the program's file, which nobody may write meanwhile */
};

/* An empty memory with its gate page. NULL = out of memory. */
struct memory *memory_create(enum origin origin);
static inline void memory_hold(struct memory *memory)
{
        memory->users++;
}
void memory_release(struct memory *memory); /* one user less; the last one frees it */
void memory_shed(struct memory *memory);    /* much of it, before its only user ends; may be NULL */

/* Each returns 0 or -errno; the caller aligns addresses and keeps them below the limit.
 * memory_map() removes areas that are there. */
CAN_FAIL int memory_map(struct memory *memory, uintptr_t start, size_t size, unsigned flags);
/* The same of a file, from a whole page on. */
CAN_FAIL int memory_map_file(struct memory *memory, uintptr_t start, size_t size, unsigned flags,
                             struct node *node, uint64_t offset);
int memory_unmap(struct memory *memory, uintptr_t start, size_t size);
/* Whether no area is mapped there, nor a stack right above. */
bool memory_is_free(const struct memory *memory, uintptr_t start, size_t size);
/* The first area that ends above `address`; NULL = none. */
struct area *memory_area(const struct memory *memory, uintptr_t address);
/* The pages of areas without these flags go; the next touch finds zeros. If they are many, others
 * have their turn meanwhile. */
void memory_drop(struct memory *memory, uintptr_t start, uintptr_t end, unsigned but_flags);

/* Copies into memory that need not be the current process's, past its protection: for exec. False =
 * out of memory, or nothing is mapped there. */
CAN_FAIL bool memory_fill(struct memory *memory, uintptr_t to, const void *from, size_t size);

/* `access` is AREA_READ, AREA_WRITE or AREA_EXECUTE. */
enum fault memory_fault(struct memory *memory, uintptr_t address, unsigned access);

static inline size_t memory_peak(const struct memory *memory) /* the most pages at a time */
{
        return memory->resident > memory->peak ? memory->resident : memory->peak;
}

/* What work is so long that others have their turn meanwhile: on more pages, and where a way finds
 * the tables as fast as all their pages, on more of them. */
#define MANY 1024
#define FEW 64

/* Shared by area.c and memory.c: the bits of an area's pages; the page table's bits for a frame in
 * an area (private frames with several users are not writable); and the page at an address, past
 * its protection, made if it is not there, NULL = no memory or no area. */
extern struct area area_nowhere; /* holds no address */
pte_t memory_entry_bits(const struct memory *memory, unsigned flags);
pte_t memory_entry(const struct area *area, uintptr_t frame);
uint8_t *memory_page(struct memory *memory, uintptr_t address);
/* The pages behind the end of a file go, which is at `size` until this is over: no fault brings one
 * back. Others have their turn meanwhile; the memory is held. */
void memory_cut(struct memory *memory, const struct node *node, uint64_t size);

#endif
