/* quota.c - one account for the file tree: names, links' targets, nodes, pages and their tables. */
#include "node/quota.h"
#include <stdbool.h>
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/heap.h"

size_t quota_held;

static bool has_room(size_t size)
{
        return quota_held + size <= frame_count() * PAGE_SIZE;
}

static void *object_allocate(size_t size)
{
        void *object = heap_allocate(size);
        quota_held += object ? heap_room(size) : 0;
        return object;
}

void *quota_allocate(size_t size)
{
        return has_room(heap_room(size)) ? object_allocate(size) : NULL;
}

uintptr_t quota_frame(void)
{
        uintptr_t frame = has_room(PAGE_SIZE) ? frame_allocate() : 0;
        quota_held += frame ? PAGE_SIZE : 0;
        return frame;
}

void quota_free(void *object, size_t size)
{
        quota_held -= object ? heap_room(size) : 0;
        heap_free(object);
}

void quota_frame_free(uintptr_t frame)
{
        if (frame) {
                frame_free(frame);
                quota_held -= PAGE_SIZE;
        }
}

char *quota_name(const char *name)
{
        size_t size = strlen(name) + 1;
        char *copy = object_allocate(size);
        return copy ? memcpy(copy, name, size) : NULL;
}

char *quota_text(const char *text)
{
        return has_room(heap_room(strlen(text) + 1)) ? quota_name(text) : NULL;
}

void quota_text_free(char *text)
{
        if (text)
                quota_free(text, strlen(text) + 1);
}

size_t quota_most(void)
{
        size_t left = frame_count() * PAGE_SIZE;
        return left > quota_held ? left : quota_held;
}
