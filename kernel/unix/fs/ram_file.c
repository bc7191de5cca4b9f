/* ram_file.c - regular files in memory: bytes are in the initrd until their page is first written,
 * then in page frames; holes read as zero. */
#include "errno.h"
#include "cpu/window.h"
#include "cpu/work.h"
#include "file/file.h"
#include "node/quota.h"
#include "fs/ram.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/memory.h"
#include "thread/schedule.h"
#include "thread/user.h"
#include "uapi.h"
#include "node/mapped.h"

#define ENTRIES 512            /* entries of a table: one page on amd64 */
#define SIZE_MOST (1ull << 30) /* 512 tables of 512 pages */

static const uint8_t zeros[PAGE_SIZE];

static struct ram *ram_file_of(struct node *node)
{
        return (struct ram *)node;
}

static uintptr_t *entry_of(uintptr_t table, size_t index)
{
        return table ? (uintptr_t *)DIRECT(table) + index : NULL;
}

/* The place where the frame of a page is stored; NULL: no page of the same table was written. */
static uintptr_t *ram_file_find(const struct ram *ram, size_t page)
{
        uintptr_t *table = entry_of(ram->pages, page / ENTRIES);
        return table ? entry_of(*table, page % ENTRIES) : NULL;
}

/* The same, allocated if missing. NULL = no room. */
static uintptr_t *ram_file_make(struct ram *ram, size_t page)
{
        if (!ram->pages)
                ram->pages = quota_frame();
        uintptr_t *table = page < ENTRIES * ENTRIES ? entry_of(ram->pages, page / ENTRIES) : NULL;
        if (table && !*table)
                *table = quota_frame();
        return table ? entry_of(*table, page % ENTRIES) : NULL;
}

/* The bytes from `offset` on, *run of them; NULL = beyond the end. */
static inline const void *ram_file_look(const struct ram *ram, uint64_t offset, size_t *run)
{
        size_t page = (size_t)(offset / PAGE_SIZE), in_page = offset & (PAGE_SIZE - 1);
        if (offset >= ram->size)
                return NULL;
        *run = PAGE_SIZE - in_page;
        if (*run > ram->size - offset)
                *run = (size_t)(ram->size - offset);
        const uintptr_t *frame = ram_file_find(ram, page);
        if (frame && *frame)
                return (const uint8_t *)DIRECT(*frame) + in_page;
        if (offset >= ram->image_size)
                return zeros + in_page;
        if (*run > ram->image_size - offset)
                *run = (size_t)(ram->image_size - offset);
        return ram->image + offset;
}

/* Data that are neither in the image nor zero are in the file's frames. */
static const void *look_node(struct node *node, uint64_t offset, size_t *run, uintptr_t *frame)
{
        const struct ram *ram = ram_file_of(node);
        const uint8_t *from = ram_file_look(ram, offset, run);
        bool image = (uintptr_t)from - (uintptr_t)ram->image < ram->image_size;
        bool zero = (uintptr_t)from - (uintptr_t)zeros < sizeof zeros;
        *frame = !from || image || zero ? 0 : PHYSICAL(from) & ~(uintptr_t)(PAGE_SIZE - 1);
        return from;
}

static long read_node(struct node *node, uint64_t offset, void *to, size_t size)
{
        size_t run;
        const void *from = ram_file_look(ram_file_of(node), offset, &run);
        if (!from)
                return 0;
        if (run > size)
                run = size;
        memcpy(to, from, run);
        return (long)run;
}

/* A writable page: its frame, filled from the image. NULL = no room. */
static uint8_t *ram_file_place(struct ram *ram, size_t page)
{
        uintptr_t *frame = ram_file_make(ram, page);
        if (!frame)
                return NULL;
        if (!*frame) {
                while (!(*frame = quota_frame()) && ram_drop_part())
                        interrupt_window();
                size_t start = page * PAGE_SIZE;
                if (*frame && start < ram->image_size) {
                        size_t left = ram->image_size - start;
                        if (left < PAGE_SIZE)
                                memcpy(DIRECT(*frame), ram->image + start, left);
                        else
                                page_copy(DIRECT(*frame), ram->image + start);
                }
        }
        return *frame ? DIRECT(*frame) : NULL;
}

static uintptr_t frame_of(struct node *node, uint64_t offset)
{
        struct ram *ram = ram_file_of(node);
        uint8_t *page =
                offset < ram->size ? ram_file_place(ram, (size_t)(offset / PAGE_SIZE)) : NULL;
        return page ? PHYSICAL(page) : 0;
}

static void drop_table(uintptr_t *table)
{
        for (size_t i = 0; *table && i < ENTRIES; i++)
                quota_frame_free(*entry_of(*table, i));
        quota_frame_free(*table);
        *table = 0;
}

static uintptr_t left; /* frames of the last large file that is left; its last entry is the next */
static const struct thread *left_by; /* the last thread that left some */

/* Frees one table, or the frame of a file's tables. */
bool ram_drop_part(void)
{
        uintptr_t pages = left, *last = entry_of(pages, ENTRIES - 1);
        if (!pages)
                return false;
        for (size_t i = 0; i < ENTRIES - 1; i++)
                if (*entry_of(pages, i)) {
                        drop_table(entry_of(pages, i));
                        return true;
                }
        left = *last;
        quota_frame_free(pages);
        return true;
}

void ram_drop_left(bool of_all)
{
        while (cpu_current && (of_all || cpu_current == left_by) && ram_drop_part())
                work_goes_on();
}

static void leave_tables(uintptr_t pages)
{
        uintptr_t *last = entry_of(pages, ENTRIES - 1), *table = entry_of(pages, 0);
        while (*table && table < last)
                table++;
        if (table == last)
                drop_table(last);
        else
                *table = *last;
        *last = left;
        left = pages;
        left_by = cpu_current;
        work_add(WORK_DEVICE);
}

/* Frees the file's frames: those of a large one on the way out of the kernel, where others run. */
static void leave_frames(struct ram *ram)
{
        uintptr_t pages = ram->pages;
        unsigned tables = ram->node.gone && ram->size > FEW * PAGE_SIZE;
        ram->pages = 0;
        if (!pages)
                return;
        for (size_t i = 0; i < ENTRIES; i++) {
                uintptr_t *table = entry_of(pages, i);
                if (!*table)
                        continue;
                interrupt_window();
                if (tables++) {
                        leave_tables(pages);
                        return;
                }
                drop_table(table);
        }
        quota_frame_free(pages);
}

void ram_cut(struct ram *ram)
{
        leave_frames(ram);
        ram->size = ram->image_size = 0;
}

/* Clears the file behind its end, up to `to` or the end of the page. A program that maps the file
 * may have written there, and those bytes must not appear when it grows. */
static void clear_tail(struct ram *ram, uint64_t to)
{
        size_t in_page = ram->size & (PAGE_SIZE - 1), most = PAGE_SIZE - in_page;
        const uintptr_t *frame =
                in_page ? ram_file_find(ram, (size_t)(ram->size / PAGE_SIZE)) : NULL;
        if (to > ram->size && frame && *frame)
                memset((uint8_t *)DIRECT(*frame) + in_page, 0,
                       to - ram->size < most ? (size_t)(to - ram->size) : most);
}

/* No program maps it any more: frees frames that equal the image. */
static void unmapped(struct node *node)
{
        struct ram *ram = ram_file_of(node);
        if (ram->image && !ram->changed)
                leave_frames(ram);
}

static long ram_file_read(struct file *file, uintptr_t to, size_t size)
{
        size_t done = 0;
        if (!size)
                return 0;
        while (done < size) {
                size_t run;
                const void *from = ram_file_look(ram_file_of(file->node), file->position, &run);
                if (!from)
                        break;
                if (run > size - done)
                        run = size - done;
                if (user_write(to + done, from, run))
                        return done ? (long)done : -EFAULT;
                done += run;
                file->position += run;
                if (done < size && !file_goes_on(file))
                        break;
        }
        return (long)done;
}

/* Waits for what another thread, which has turns in its midst, has begun. */
static inline void await(const bool *begun)
{
        for (; __builtin_expect(*begun, false); node_waits--) {
                node_waits++;
                interrupt_window();
                schedule();
        }
}

/* The next one who waits may begin. */
static void finish(bool *begun)
{
        *begun = false;
        if (node_waits)
                schedule();
}

/* Bytes behind the end that a write could not complete. */
static __attribute__((cold, noinline)) long take_back(const struct ram *ram, uint8_t *page,
                                                      uint64_t at, size_t size)
{
        uint64_t end = at + size, from = at > ram->size ? at : ram->size;
        if (from < end)
                memset(page + (from & (PAGE_SIZE - 1)), 0, (size_t)(end - from));
        return -EFAULT;
}

static inline __attribute__((always_inline)) long write_pages(struct file *file, uintptr_t from,
                                                              size_t size, bool appends)
{
        struct ram *ram = ram_file_of(file->node);
        size_t done = 0;
        long error = 0;
        while (done < size && !error) {
                await(&ram->node.cutting); /* the position is others', too */
                if (appends)
                        file->position = ram->size;
                size_t in_page = file->position & (PAGE_SIZE - 1), run = PAGE_SIZE - in_page;
                if (run > size - done)
                        run = size - done;
                uint8_t *page = file->position < SIZE_MOST
                                        ? ram_file_place(ram, (size_t)(file->position / PAGE_SIZE))
                                        : NULL;
                if (!page)
                        error = file->position < SIZE_MOST ? -ENOSPC : -EFBIG;
                else if (user_read(page + in_page, from + done, run))
                        error = take_back(ram, page, file->position, run);
                else {
                        done += run;
                        file->position += run;
                        if (ram->size < file->position) {
                                if (ram->tail)
                                        clear_tail(ram, file->position - run);
                                ram->size = file->position;
                        }
                        if (done == size)
                                break;
                        ram->changed = true; /* for a program that unmaps it meanwhile */
                        if (!file_goes_on(file))
                                break;
                }
        }
        if (done)
                ram_written(file->node);
        return done ? (long)done : error;
}

static __attribute__((noinline)) long append(struct file *file, uintptr_t from, size_t size)
{
        bool *appended = &ram_file_of(file->node)->appended;
        await(appended);
        *appended = true;
        long done = write_pages(file, from, size, true);
        finish(appended);
        return done;
}

static long ram_file_write(struct file *file, uintptr_t from, size_t size)
{
        return file->flags & O_APPEND ? append(file, from, size)
                                      : write_pages(file, from, size, false);
}

/* Removes the pages behind the end, up to the old end `was`. */
static void cut_pages(struct ram *ram, uint64_t was)
{
        size_t last = (size_t)((was + PAGE_SIZE - 1) / PAGE_SIZE);
        for (size_t page = (size_t)((ram->size + PAGE_SIZE - 1) / PAGE_SIZE); page < last;) {
                uintptr_t *frame = ram_file_find(ram, page);
                if (frame) {
                        quota_frame_free(*frame);
                        *frame = 0;
                        page++;
                } else {
                        page = (page / ENTRIES + 1) * ENTRIES;
                }
                if (!(page % (ENTRIES / 8)))
                        work_goes_on();
        }
}

static void cut_to(struct ram *ram, uint64_t size)
{
        uint64_t was = ram->size;
        if (ram->tail)
                clear_tail(ram, size);
        if (ram->image_size > size)
                ram->image_size = (size_t)size;
        ram->size = size;
        if (size)
                cut_pages(ram, was);
        else
                leave_frames(ram);
        if (size && size <= was)
                clear_tail(ram, SIZE_MOST);
}

static int ram_file_cut(struct node *node, uint64_t size)
{
        struct ram *ram = ram_file_of(node);
        if (size > SIZE_MOST)
                return -EFBIG;
        await(&ram->node.cutting); /* the end does not change until then */
        if (node->executed)        /* since that began */
                return -ETXTBSY;
        ram_written(node);
        node->cutting = true;
        cut_to(ram, size);
        memory_cut_file(node, size);
        finish(&node->cutting);
        return 0;
}

static const struct file_kind file_kind = {"file", .read = ram_file_read, .write = ram_file_write,
                                           .seek = file_seek_node};
const struct node_kind ram_file_node = {.file = &file_kind,
                                        .stat = ram_stat,
                                        .free = ram_free,
                                        .touch = ram_touch,
                                        .read = read_node,
                                        .look = look_node,
                                        .cut = ram_file_cut,
                                        .frame = frame_of,
                                        .unmapped = unmapped};
