/* mapped.c - files in a program's memory. For a file in memory its own frames are mapped, the same
 * that read() and write() use. A disk's file is read once when it is mapped, because disks are not
 * written. */
#include "node/mapped.h"
#include "cpu/window.h"
#include "errno.h"
#include "node/node.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "mem/tree.h"
#include "thread/schedule.h"
#include "thread/thread.h"
#include "site.h"

static uint64_t place_of(const struct area *area, uintptr_t address)
{
        return area->offset + ((address & ~(uintptr_t)(PAGE_SIZE - 1)) - area->start);
}

/* The file has no frame for the page: makes a copy. */
static enum fault copied(const struct area *area, uintptr_t address, pte_t *entry)
{
        uintptr_t frame = frame_allocate_ready();
        if (!frame)
                return FAULT_NO_MEMORY;
        struct node *node = area->node;
        if (node->kind->read(node, place_of(area, address), DIRECT(frame), PAGE_SIZE) <= 0) {
                frame_free(frame);
                return FAULT_BEYOND;
        }
        *entry = frame | area->entry;
        return FAULT_RESOLVED;
}

/* The frame of text with rewritten system calls, if it has any. */
static __attribute__((noinline)) uintptr_t text_frame(const struct area *area, uintptr_t address)
{
        uint64_t place = place_of(area, address);
        uintptr_t frame = sites_frame(area->node, place);
        return frame ? frame : area->node->kind->frame(area->node, place);
}

enum fault mapped_fault(const struct area *area, uintptr_t address, pte_t *entry)
{
        struct node *node = area->node;
        if (!node->kind->frame)
                return FAULT_BEYOND;
        uintptr_t frame = __builtin_expect(area->flags & AREA_CALLS, 0)
                                  ? text_frame(area, address)
                                  : node->kind->frame(node, place_of(area, address));
        if (!frame)
                return area->flags & AREA_SHARED ? FAULT_BEYOND : copied(area, address, entry);
        frame_share(frame);
        *entry = frame | (area->entry & ~(pte_t)PTE_WRITE);
        return FAULT_RESOLVED;
}

/* Puts a frame with bytes of a file at its address. If a page is there already, the bytes are
 * copied into it. Another thread may have mapped something else during the read. */
static int give_page(struct memory *memory, uintptr_t to, size_t size, const struct node *node,
                     uintptr_t frame)
{
        size_t in_page = to & (PAGE_SIZE - 1);
        const struct area *area = memory_area(memory, to);
        bool ours = area && area->start <= to && (!area->node || area->node == node);
        pte_t *entry = ours ? space_reach(memory, to, area->entry & PTE_USER) : NULL;
        if (entry && !(*entry & PTE_OWNED)) {
                *entry = frame | area->entry;
                memory->resident++;
                return 0;
        }
        uint8_t *page = ours ? memory_page(memory, to) : NULL;
        if (page)
                memcpy(page + in_page, (uint8_t *)DIRECT(frame) + in_page, size);
        frame_free(frame);
        return ours && !page ? -ENOMEM : 0;
}

int memory_load(struct memory *memory, uintptr_t to, uint64_t size, struct node *node,
                uint64_t offset)
{
        int error = 0;
        while (size && !error) {
                size_t in_page = to & (PAGE_SIZE - 1), part = PAGE_SIZE - in_page;
                uintptr_t frame = frame_allocate();
                if (part > size)
                        part = (size_t)size;
                if (!frame)
                        return -ENOMEM;
                if (node_read(node, offset, (uint8_t *)DIRECT(frame) + in_page, part)) {
                        error = give_page(memory, to, part, node, frame);
                } else {
                        frame_free(frame);
                        error = -EIO;
                }
                to += part;
                offset += part;
                size -= part;
                if (size && !work_goes_on())
                        return -EINTR;
        }
        return error;
}

/* The first memory created after `order`, or NULL. *last: the order of the last one. */
static struct memory *next_memory(uint64_t order, uint64_t *last)
{
        struct memory *next = NULL;
        for (const struct thread *t = threads; t; t = t->next) {
                interrupt_window();
                if (!t->memory || t->memory->order <= order)
                        continue;
                if (!next || t->memory->order < next->order)
                        next = t->memory;
                if (t->memory->order > *last)
                        *last = t->memory->order;
        }
        return next;
}

static unsigned cuts; /* in progress */
unsigned node_waits;

static bool is_cut(const struct memory *memory)
{
        for (const struct area *area = memory->areas; area; area = area->next) {
                interrupt_window();
                if (area->node && area->node->cutting)
                        return true;
        }
        return false;
}

void memory_await_cut(const struct memory *memory)
{
        for (; cuts && is_cut(memory); node_waits--) {
                node_waits++;
                schedule();
        }
}

/* A fork may run meanwhile: the child is younger than its parent, so it is cut later. Those that
 * begin later wait if they map it. */
void memory_cut_file(const struct node *node, uint64_t size)
{
        uint64_t order = 0, last = 0, later;
        struct memory *memory = next_memory(order, &last);
        cuts++;
        for (; node->mapped && memory && memory->order <= last;
             memory = next_memory(order, &later)) {
                order = later = memory->order;
                memory_hold(memory);
                memory_cut(memory, node, size);
                memory_release(memory);
        }
        cuts--;
}

void memory_execute(struct memory *memory, struct node *node)
{
        memory->executes = node_hold(node);
        node->executed++;
}

void memory_executed(struct node *node)
{
        node->executed--;
        node_release(node);
}

void mapped_begin(struct node *node, unsigned writers)
{
        node->writers += writers;
        node_hold(node)->mapped++;
}

void mapped_end(struct node *node, unsigned writers)
{
        node->writers -= writers;
        if (!--node->mapped && node->kind->unmapped)
                node->kind->unmapped(node);
        node_release(node);
}

void mapped_written(struct node *node)
{
        struct node_time times[NODE_TIMES] = {[NODE_WRITTEN] = node_now()};
        node->kind->touch(node, 1 << NODE_WRITTEN, times);
}
