/* mapped.h - files in a program's memory. */
#ifndef TOLLGATE_UNIX_NODE_MAPPED_H
#define TOLLGATE_UNIX_NODE_MAPPED_H

#include "mem/memory.h"

struct node;

/* Bytes of a file are read to where an area has them mapped, or has none. It may sleep. -ENOMEM,
 * -EIO */
CAN_FAIL int memory_load(struct memory *memory, uintptr_t to, uint64_t size, struct node *node,
                         uint64_t offset);
/* A file ends at `size`, and does not grow until this is over: nothing behind is mapped any more,
 * by anybody. Others have their turn meanwhile. */
void memory_cut_file(const struct node *node, uint64_t size);
/* Returns when no file that is mapped there is being cut: after a fork or a move the cut would have
 * to begin again. */
void memory_await_cut(const struct memory *memory);

/* The core asks this (core/above.h): the page of an address that is not there. */
enum fault mapped_fault(const struct area *area, uintptr_t address, pte_t *entry);
void mapped_written(struct node *node);                              /* by a program */
void mapped_begin(struct node *node), mapped_end(struct node *node); /* in one more area, or less */
/* The program of it is that node: until it ends nobody opens that for writing. */
void memory_execute(struct memory *memory, struct node *node);
void memory_executed(struct node *node);

#endif
