/* mapped.h - files in a program's memory. */
#pragma once
#include "mem/memory.h"

struct node;

/* Reads bytes of a file to where an area maps them, or to unmapped memory. May sleep. -ENOMEM,
 * -EIO */
CAN_FAIL int memory_load(struct memory *memory, uintptr_t to, uint64_t size, struct node *node,
                         uint64_t offset);
/* Unmaps everything behind a file's new end `size` from all memories. The file does not grow until
 * this returns. Other threads run meanwhile. */
void memory_cut_file(const struct node *node, uint64_t size);
/* Returns when no file mapped there is being cut: after a fork or a move the cut would have to
 * start again. */
void memory_await_cut(const struct memory *memory);

/* Called by the core (core/above.h): the page for an address without one. */
enum fault mapped_fault(const struct area *area, uintptr_t address, pte_t *entry);
void mapped_written(struct node *node); /* a program has written it */
/* Called for an area more, or less; `writers` is 1 if it may write the file. */
void mapped_begin(struct node *node, unsigned writers),
        mapped_end(struct node *node, unsigned writers);
/* The memory's program is that node: until it ends nobody can open the node for writing. */
void memory_execute(struct memory *memory, struct node *node);
void memory_executed(struct node *node);
