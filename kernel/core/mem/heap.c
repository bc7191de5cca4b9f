/* heap.c - objects of a power of two bytes, cut from whole frames.
 *
 * A page holds objects of one size, and its header says which, so a pointer is enough to free an
 * object. Objects above half a page have a frame of their own and start at its beginning.
 *
 * Free objects of a size are in one list. When many have been freed, they are sorted by their pages
 * while the processor is idle or a program needs a frame. A page without objects is a free frame.
 */
#include "mem/heap.h"
#include "mem/frame.h"

#define SMALLEST 5 /* log2: 32 bytes */
#define LARGEST 10 /* 1 KiB: three in a page, behind its header */
#define HEADER 32  /* keeps 16-byte alignment */
#define MANY 4096  /* objects that are free since the heap was largest */
#define STEP 200   /* objects that are sorted without interrupts */

struct free_object {
        struct free_object *next;
};
struct heap_page {
        unsigned class, sorted; /* log2 of the size; objects in `free` */
        struct free_object *free;
        struct heap_page *next, **link; /* in with_room[], if any are sorted */
};
_Static_assert(sizeof(struct heap_page) <= HEADER, "heap_page");
static struct free_object *free_objects[LARGEST + 1];
static struct heap_page *with_room[LARGEST + 1];
static size_t largest; /* the most of heap_objects since all was sorted */
size_t heap_objects, heap_frames;

static unsigned class_of(size_t size)
{
        return size > 1u << SMALLEST ? 32 - (unsigned)__builtin_clz((unsigned)size - 1) : SMALLEST;
}

static void put_in(struct heap_page *page)
{
        page->link = &with_room[page->class];
        page->next = *page->link;
        if (page->next)
                page->next->link = &page->next;
        *page->link = page;
}

static void take_out(struct heap_page *page)
{
        *page->link = page->next;
        if (page->next)
                page->next->link = page->link;
        page->sorted = 0;
}

static void heap_cut(unsigned class)
{
        uintptr_t frame = frame_allocate();
        if (!frame)
                return;
        heap_frames++;
        largest = heap_objects > largest ? heap_objects : largest;
        uint8_t *page = DIRECT(frame);
        ((struct heap_page *)page)->class = class;
        for (size_t at = HEADER; at + (1u << class) <= PAGE_SIZE; at += 1u << class) {
                struct free_object *object = (struct free_object *)(page + at);
                object->next = free_objects[class];
                free_objects[class] = object;
        }
}

static __attribute__((noinline)) void heap_fill(unsigned class)
{
        struct heap_page *page = with_room[class];
        if (!page) {
                heap_cut(class);
                return;
        }
        take_out(page);
        free_objects[class] = page->free;
        page->free = NULL;
}

static struct heap_page *page_of(const void *object)
{
        return (struct heap_page *)((uintptr_t)object & ~(uintptr_t)(PAGE_SIZE - 1));
}

static void sort(struct free_object *object)
{
        struct heap_page *page = page_of(object);
        object->next = page->free;
        page->free = object;
        if (!page->sorted++)
                put_in(page);
        if (page->sorted < (unsigned)(PAGE_SIZE - HEADER) >> page->class)
                return;
        take_out(page);
        heap_frames--;
        frame_free(PHYSICAL((uintptr_t)page));
}

bool heap_sort(void)
{
        unsigned class = SMALLEST;
        if (largest < heap_objects + MANY)
                return false;
        for (unsigned n = 0; n < STEP; n++) {
                while (class <= LARGEST && !free_objects[class])
                        class += 1;
                if (class > LARGEST) {
                        largest = heap_objects;
                        break;
                }
                struct free_object *object = free_objects[class];
                free_objects[class] = object->next;
                sort(object);
        }
        return true;
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
                heap_fill(class);
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
        unsigned class = page_of(object)->class;
        struct free_object *freed = object;
        freed->next = free_objects[class];
        free_objects[class] = freed;
}
