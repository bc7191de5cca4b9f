/*
 * quota.h - what the file tree may hold of memory, which outlives the programs that asked for it:
 * no more than it leaves free, so half of what there is stays for programs.
 */
#ifndef TOLLGATE_UNIX_NODE_QUOTA_H
#define TOLLGATE_UNIX_NODE_QUOTA_H

#include <stddef.h>
#include <stdint.h>

/* An object of the heap's (mem/heap.h), a frame; NULL or 0 = the tree has all that it may have. */
void *quota_allocate(size_t size);
uintptr_t quota_frame(void);
/* Back, with the size it was asked for; NULL or 0 is fine. */
void quota_free(void *object, size_t size);
void quota_frame_free(uintptr_t frame);
/* A copy of a text, and back; NULL is fine. */
char *quota_text(const char *text);
void quota_text_free(char *text);
size_t quota_most(void); /* bytes that it has and may yet have */
size_t quota_held(void); /* bytes of all of it */

#endif
