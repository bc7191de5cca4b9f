/* heap.c - objects of a power of two bytes, cut from whole frames.
 *
 * A page holds objects of one size, and its first word is their size, so a pointer is enough to
 * free an object. Objects above half a page have a frame of their own and start at its beginning.
 */
#include "mem/heap.h"
#include "mem/frame.h"

#define SMALLEST 5 /* log2: 32 bytes */
#define LARGEST 10 /* 1 KiB: three in a page, behind its header */
#define HEADER 32  /* keeps 16-byte alignment */

struct free_object {
        struct free_object *next;
};
static struct free_object *free_objects[LARGEST + 1];
size_t heap_objects, heap_frames;

static unsigned class_of(size_t size)
{
        return size > 1u << SMALLEST ? 32 - (unsigned)__builtin_clz((unsigned)size - 1) : SMALLEST;
}

static void heap_cut(unsigned class)
{
        uintptr_t frame = frame_allocate();
        if (!frame)
                return;
        heap_frames++;
        uint8_t *page = DIRECT(frame);
        *(size_t *)page = class;
        for (size_t at = HEADER; at + (1u << class) <= PAGE_SIZE; at += 1u << class) {
                struct free_object *object = (struct free_object *)(page + at);
                object->next = free_objects[class];
                free_objects[class] = object;
        }
}

size_t heap_room(size_t size)
{
        return size > 1u << LARGEST ? PAGE_SIZE : (size_t)1 << class_of(size);
}

static void *take_page(void)
{
        uintptr_t frame = frame_take();
        heap_objects += frame != 0;
        return frame ? DIRECT(frame) : NULL;
}

void *heap_take(size_t size)
{
        if (size > 1u << LARGEST)
                return size > PAGE_SIZE ? NULL : take_page();
        unsigned class = class_of(size);
        if (!free_objects[class])
                heap_cut(class);
        struct free_object *object = free_objects[class];
        if (!object)
                return NULL;
        free_objects[class] = object->next;
        heap_objects++;
        return object;
}

void *heap_allocate(size_t size)
{
        void *object = heap_take(size);
        if (object)
                words_clear(object, (size + WORD - 1) / WORD);
        return object;
}

void heap_free(void *object)
{
        uintptr_t at = (uintptr_t)object;
        if (!object)
                return;
        heap_objects--;
        if (!(at & (PAGE_SIZE - 1))) {
                frame_free(PHYSICAL(at));
                return;
        }
        unsigned class = *(const size_t *)(at & ~(uintptr_t)(PAGE_SIZE - 1));
        struct free_object *freed = object;
        freed->next = free_objects[class];
        free_objects[class] = freed;
}
