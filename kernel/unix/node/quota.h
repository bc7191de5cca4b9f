/* quota.h - limits the memory of the file tree, which outlives the programs that caused it. The
 * tree may have as much as it leaves free, so programs keep half of all memory. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* A heap object (mem/heap.h), then a frame; NULL or 0 = the quota is used up. */
void *quota_allocate(size_t size);
uintptr_t quota_frame(void);
/* Frees it, with its allocated size; NULL or 0 is allowed. */
void quota_free(void *object, size_t size);
void quota_frame_free(uintptr_t frame);
/* Copies a text; a name of what exists, even if the quota is used up, as otherwise nobody could
 * look it up; then frees one, NULL is allowed. */
char *quota_text(const char *text);
char *quota_name(const char *name);
void quota_text_free(char *text);
size_t quota_most(void);  /* bytes in use plus bytes that are still allowed */
extern size_t quota_held; /* bytes in use */
