/* map.c - brk, mmap and the like, as on Linux. */
#include "file/file.h"
#include "file/remap.h"
#include "clock/image.h"
#include "cpu/window.h"
#include "node/node.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "mem/tree.h"
#include "thread/user.h"
#include "calls.h"
#include "process/change.h"
#include "process/missing.h"
#include "process/resource.h"
#include "uapi.h"
#include "node/mapped.h"

#define LOW_END 0x80000000 /* for MAP_32BIT, as on Linux: addresses that a signed word can name */

static uintptr_t page_up(uintptr_t address)
{
        return (address + PAGE_SIZE - 1) & ~(uintptr_t)(PAGE_SIZE - 1);
}

static bool is_aligned(uintptr_t address)
{
        return !(address & (PAGE_SIZE - 1));
}

/* Rounds *size up; false = empty, or more than a program's half. */
static bool is_range(uintptr_t start, size_t *size)
{
        if (!*size || !user_inside(start, *size))
                return false;
        *size = page_up(*size);
        return user_inside(start, *size);
}

/* A size beyond all of the machine's frames is refused at once; a lack of free frames shows at the
 * first touch. */
static bool is_hopeless(size_t size, unsigned flags)
{
        return flags & AREA_WRITE && size > memory_top;
}

/* Refuses write plus execute, and bits that Linux does not have. */
static int wrong_access(unsigned long access)
{
        if (access & ~(unsigned long)AREA_ACCESS)
                return -EINVAL;
        return access & AREA_WRITE && access & AREA_EXECUTE ? -EACCES : 0;
}

static long move_break(struct memory *memory, uintptr_t end)
{
        uintptr_t old = page_up(memory->heap_end), new = page_up(end);
        unsigned flags = AREA_READ | AREA_WRITE;
        if (end < memory->heap || !user_inside(end, 0) || !user_inside(new, 0))
                return (long)memory->heap_end;
        if (new < old && memory_unmap(memory, new, old - new))
                return (long)memory->heap_end;
        if (new > old &&
            (is_hopeless(new - memory->heap, flags) ||
             !resource_has_room(memory, new - old, true) ||
             !memory_is_free(memory, old, new - old) || memory_map(memory, old, new - old, flags)))
                return (long)memory->heap_end;
        return (long)(memory->heap_end = end);
}

long sys_brk(long wanted, AFTER_1)
{
        memory_change();
        return memory_changed(move_break(cpu_current->memory, (uintptr_t)wanted));
}

/* MAP_GROWSDOWN: start of the room below, as far as a stack may grow. */
static uintptr_t stack_start(const struct memory *memory, uintptr_t start, size_t size)
{
        size_t limit = resource_stack();
        uintptr_t lowest = start + size > limit ? start + size - limit : 0;
        while (start > lowest && start > MEMORY_LOWEST + STACK_GUARD &&
               memory_is_free(memory, start - PAGE_SIZE - STACK_GUARD, STACK_GUARD + PAGE_SIZE))
                start -= PAGE_SIZE, interrupt_window();
        return start;
}

/* 0 or -errno; *start is the requested address, then the chosen one. */
static int map_place(const struct memory *memory, uintptr_t *start, size_t *size,
                     unsigned long flags)
{
        bool fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
        if (!*size || (fixed && !is_aligned(*start)))
                return -EINVAL;
        uintptr_t wanted = *start & ~(uintptr_t)(PAGE_SIZE - 1);
        if (!is_range(fixed ? wanted : 0, size))
                return -ENOMEM;
        if (fixed && wanted < MEMORY_LOWEST)
                return -EPERM;
        uintptr_t top = flags & MAP_32BIT && !call_narrow() ? LOW_END : memory->limit;
        bool is_free = wanted >= MEMORY_LOWEST && is_range(wanted, size) &&
                       (fixed || wanted + *size <= top) && memory_is_free(memory, wanted, *size);
        if (flags & MAP_FIXED_NOREPLACE && !is_free)
                return -EEXIST;
        *start = fixed || is_free ? wanted : tree_room(memory, *size, top);
        return *start ? 0 : -ENOMEM;
}

static long map_anonymous(uintptr_t start, size_t size, unsigned area, unsigned long flags)
{
        struct memory *memory = cpu_current->memory;
        int error = map_place(memory, &start, &size, flags);
        if (error)
                return error;
        uintptr_t at = start;
        if (flags & MAP_GROWSDOWN && !(area & AREA_SHARED)) {
                area |= AREA_GROWS_DOWN;
                at = stack_start(memory, start, size);
        }
        error = memory_map(memory, at, size + (start - at), area);
        return error ? error : (long)start;
}

/* Reads the pages of a disk's file at once: at most as many as the file has. */
static int map_load(uintptr_t start, size_t size, struct node *node, uint64_t offset)
{
        uint64_t end = node_facts(node).size, left = end > offset ? end - offset : 0;
        return memory_load(cpu_current->memory, start, left < size ? left : size, node, offset);
}

static long map_file(uintptr_t start, size_t size, unsigned area, unsigned long flags,
                     struct file *file, uint64_t offset)
{
        struct memory *memory = cpu_current->memory;
        struct node *node = file->node;
        if (file->flags & O_WRONLY)
                return -EACCES;
        if (!node || !node_is(node, S_IFREG) || !node->kind->read)
                return -ENODEV;
        if (area & AREA_SHARED && file->write == file_refuses)
                area |= AREA_READ_ONLY;
        if (area & AREA_READ_ONLY && area & AREA_WRITE)
                return -EACCES;
        int error = map_place(memory, &start, &size, flags);
        if (error)
                return error;
        if (offset + size < offset || (int64_t)(offset + size) < 0)
                return -EOVERFLOW;
        node_hold(node);
        error = memory_map_file(memory, start, size, area, node, offset);
        if (!error && !node->kind->frame && (error = map_load(start, size, node, offset)))
                memory_unmap(memory, start, size);
        node_release(node);
        return error ? error : (long)start;
}

static long map_any(uintptr_t start, size_t size, unsigned long access, unsigned long flags,
                    long fd, uint64_t offset)
{
        unsigned type = flags & MAP_TYPE, area = (unsigned)access & AREA_ACCESS;
        struct file *file = flags & MAP_ANONYMOUS ? NULL : file_of(fd);
        if (offset & (PAGE_SIZE - 1))
                return -EINVAL;
        if (!file && !(flags & MAP_ANONYMOUS))
                return -EBADF;
        int error = wrong_access(access);
        if (error)
                return error;
        if (type != MAP_SHARED && type != MAP_PRIVATE && (type != MAP_SHARED_VALIDATE || !file))
                return -EINVAL;
        if (type == MAP_SHARED_VALIDATE && flags & ~MAP_LEGACY)
                return -EOPNOTSUPP;
        if (is_hopeless(size, area))
                return -ENOMEM;
        uintptr_t end; /* in pages: Linux counts them in a word */
        if (__builtin_add_overflow((uintptr_t)(offset / PAGE_SIZE), page_up(size) / PAGE_SIZE,
                                   &end))
                return -EOVERFLOW;
        bool written = type == MAP_PRIVATE && area & AREA_WRITE;
        if (!resource_has_room(cpu_current->memory, page_up(size), written) &&
            (!(flags & MAP_FIXED) ||
             !resource_has_room_in_place(cpu_current->memory, start, page_up(size), written)))
                return -ENOMEM;
        if (type != MAP_PRIVATE)
                area |= AREA_SHARED;
        if (file && area & AREA_SHARED && area & AREA_WRITE && file->write == file_refuses)
                return -EACCES;
        if (!file || file->kind == &zero_kind)
                return map_anonymous(start, size, area, flags);
        return map_file(start, size, area, flags, file, offset);
}

static long map_area(uintptr_t start, size_t size, unsigned long access, unsigned long flags,
                     long fd, uint64_t offset)
{
        memory_change();
        return memory_changed(map_any(start, size, access, flags, fd, offset));
}

long sys_mmap(long start, long size, long access, long flags, long fd, long offset)
{
        return map_area((uintptr_t)start, (size_t)size, (unsigned long)access, (unsigned long)flags,
                        fd, (unsigned long)offset);
}

/* For 32-bit programs: the offset is in pages. */
long sys_mmap2(long start, long size, long access, long flags, long fd, long offset)
{
        return map_area((uintptr_t)start, (size_t)size, (unsigned long)access, (unsigned long)flags,
                        fd, (uint64_t)(uint32_t)offset * PAGE_SIZE);
}

/* For 32-bit programs: the six arguments are in memory. */
long sys_old_mmap(long arguments, AFTER_1)
{
        uintptr_t a[6];
        int error = user_get_words(a, (uintptr_t)arguments, 6);
        return error ? error : map_area(a[0], a[1], a[2], a[3], (int)a[4], a[5]);
}

long sys_munmap(long start, long size, AFTER_2)
{
        size_t whole = (size_t)size;
        if (!is_aligned((uintptr_t)start) || !is_range((uintptr_t)start, &whole))
                return -EINVAL;
        memory_change();
        return memory_changed(memory_unmap(cpu_current->memory, (uintptr_t)start, whole));
}

long sys_mprotect(long start, long size, long access, AFTER_3)
{
        size_t whole = (size_t)size;
        int error = is_aligned((uintptr_t)start) ? wrong_access((unsigned long)access) : -EINVAL;
        if (error || !size)
                return error;
        if (!is_range((uintptr_t)start, &whole))
                return -ENOMEM;
        if (access & PROT_WRITE &&
            !resource_may_write(cpu_current->memory, (uintptr_t)start, whole))
                return -ENOMEM;
        memory_change();
        return memory_changed(
                memory_protect(cpu_current->memory, (uintptr_t)start, whole, (unsigned)access));
}

/* An area that grows must be single and private. */
static int may_resize(const struct area *area, uintptr_t from, size_t old, size_t new)
{
        if (!old)
                return -EINVAL;
        if (old > area->end - from)
                return -EFAULT;
        bool shared = area->flags & AREA_SHARED, written = !shared && area->flags & AREA_WRITE;
        bool fixed = shared && !area->node;
        return new > old && (fixed || is_hopeless(new, area->flags) ||
                             !resource_has_room(cpu_current->memory, new - old, written))
                       ? -ENOMEM
                       : 0;
}

/* To an address chosen by the program: first unmaps the areas there, and the part that does not
 * move. */
static long remap_to(struct memory *memory, uintptr_t from, size_t old, uintptr_t to, size_t new)
{
        size_t whole = new;
        if (!is_aligned(to) || !is_range(to, &whole) || (to < from + old && from < to + new))
                return -EINVAL;
        if (to < MEMORY_LOWEST)
                return -EPERM;
        int error = old > new ? memory_unmap(memory, from + new, old - new) : 0;
        old = old < new ? old : new;
        if (!error) /* last, because other threads run and may map something there */
                error = memory_unmap(memory, to, new);
        const struct area *area = memory_area(memory, from);
        if (!error)
                error = area && area->start <= from ? may_resize(area, from, old, new) : -EFAULT;
        if (!error)
                error = memory_move(memory, from, old, to, new);
        return error ? error : (long)to;
}

static long map_grow(struct memory *memory, const struct area *area, uintptr_t from, size_t old,
                     size_t new, bool may_move)
{
        int error = may_resize(area, from, old, new);
        size_t whole = new;
        uintptr_t end = from + old;
        if (error)
                return error;
        if (area->end == end && is_range(from, &whole) && memory_is_free(memory, end, new - old)) {
                error = memory_map_file(memory, end, new - old, area->flags, area->node,
                                        area->offset + (end - area->start));
                return error ? error : (long)from;
        }
        uintptr_t to = may_move && is_range(0, &whole) ? tree_room(memory, new, memory->limit) : 0;
        error = to ? memory_move(memory, from, old, to, new) : -ENOMEM;
        return error ? error : (long)to;
}

/* All programs share the image of functions, so a copy moves and the image stays. Parts cannot
 * move, as on Linux. */
static long remap_image(struct memory *memory, uintptr_t to, size_t old, size_t new)
{
        if (old != VDSO_PAGES * PAGE_SIZE || new != old || !is_aligned(to) || !is_range(to, &new))
                return -EINVAL;
        if (to < MEMORY_LOWEST)
                return -EPERM;
        int error = resource_has_room(memory, new, false) ? vdso_copy(memory, to) : -ENOMEM;
        return error ? error : (long)to;
}

static long remap(struct memory *memory, long start, long size, long wanted, long how, long place)
{
        uintptr_t from = (uintptr_t)start;
        size_t old = page_up((uintptr_t)size), new = page_up((uintptr_t)wanted);
        unsigned flags = (unsigned)how;
        if ((unsigned long)how & ~(unsigned long)(MREMAP_MAYMOVE | MREMAP_FIXED))
                return missing_flags(MISSING_remap, flags & ~(MREMAP_MAYMOVE | MREMAP_FIXED),
                                     -EINVAL);
        if ((flags & MREMAP_FIXED && !(flags & MREMAP_MAYMOVE)) || !is_aligned(from) || !new)
                return -EINVAL;
        memory_await_cut(memory);
        if (from == vdsos[memory->origin].at && flags & MREMAP_FIXED)
                return remap_image(memory, (uintptr_t)place, old, new);
        const struct area *area = memory_area(memory, from);
        if (!area || area->start > from)
                return -EFAULT;
        if (!user_inside(from, old))
                return -EINVAL;
        if (area->flags & AREA_CALLS) /* their jumps return to the old address */
                return -EINVAL;
        if (flags & MREMAP_FIXED)
                return remap_to(memory, from, old, (uintptr_t)place, new);
        if (old < new)
                return map_grow(memory, area, from, old, new, flags & MREMAP_MAYMOVE);
        int error = old > new ? memory_unmap(memory, from + new, old - new) : 0;
        return error ? error : start;
}

long sys_mremap(long start, long size, long wanted, long how, long place, AFTER_5)
{
        memory_change();
        return memory_changed(remap(cpu_current->memory, start, size, wanted, how, place));
}

/* A shared page is the file's own: there is nothing to write back. */
long sys_msync(long start, long size, long how, AFTER_3)
{
        const unsigned long known = MS_ASYNC | MS_INVALIDATE | MS_SYNC;
        size_t whole = (size_t)size;
        if ((unsigned long)how & ~known || (how & MS_ASYNC && how & MS_SYNC) ||
            !is_aligned((uintptr_t)start))
                return -EINVAL;
        if (!size)
                return 0;
        if (!is_range((uintptr_t)start, &whole) ||
            !memory_is_whole(cpu_current->memory, (uintptr_t)start, whole))
                return -ENOMEM;
        return 0;
}

/* Ignores advice that may be ignored; MADV_DONTNEED guarantees zeros. */
static bool is_advice(unsigned advice)
{
        const unsigned known = 1 << MADV_NORMAL | 1 << MADV_RANDOM | 1 << MADV_SEQUENTIAL |
                               1 << MADV_WILLNEED | 1 << MADV_DONTNEED | 1 << MADV_FREE |
                               1 << MADV_HUGEPAGE | 1 << MADV_NOHUGEPAGE | 1 << MADV_COLD |
                               1 << MADV_PAGEOUT;
        return advice < 32 && known >> advice & 1;
}

/* Pages of a disk's file are read again: where they are, because other threads may read them. */
static void map_forget(uintptr_t start, size_t size)
{
        uintptr_t end = start + size;
        for (uintptr_t at = start; at < end; work_goes_on()) {
                const struct area *area = memory_area(cpu_current->memory, at);
                if (!area || area->start >= end)
                        return;
                uintptr_t from = area->start > at ? area->start : at;
                struct node *node = area->node;
                uint64_t offset = area->offset + (from - area->start);
                at = area->end < end ? area->end : end;
                if (!node || node->kind->frame || area->flags & AREA_SHARED) {
                        memory_drop(cpu_current->memory, from, at, AREA_SHARED);
                        continue;
                }
                node_hold(node);
                map_load(from, at - from, node, offset);
                node_release(node);
        }
}

long sys_madvise(long start, long size, long advice, AFTER_3)
{
        size_t whole = (size_t)size;
        if (!is_aligned((uintptr_t)start))
                return -EINVAL;
        if (!is_advice((unsigned)advice))
                return missing_request(MISSING_advice, (uint32_t)advice, -EINVAL);
        if (!size)
                return 0;
        if (!is_range((uintptr_t)start, &whole))
                return -ENOMEM;
        memory_change();
        if ((unsigned)advice == MADV_DONTNEED)
                map_forget((uintptr_t)start, whole);
        return memory_changed(
                memory_is_whole(cpu_current->memory, (uintptr_t)start, whole) ? 0 : -ENOMEM);
}

/* Memory is never paged out, so locking fills it as first touches would: with the program's own
 * pages where it may write. Stacks grow when touched. Other threads run meanwhile, and may change
 * the areas. */
static long lock_fill(uintptr_t at, uintptr_t end)
{
        struct memory *memory = cpu_current->memory;
        const struct area *a;
        long result = 0;
        while ((a = memory_area(memory, at)) && a->start < end && at < end) {
                bool writes = (a->flags & (AREA_WRITE | AREA_SHARED)) == AREA_WRITE;
                bool grows = a->flags & AREA_GROWS_DOWN, none = grows || !(a->flags & AREA_ACCESS);
                at = at < a->start ? a->start : at;
                enum fault found = none ? FAULT_BEYOND
                                        : memory_fault(memory, at, writes ? AREA_WRITE : AREA_READ);
                if (found == FAULT_NO_MEMORY && !frame_refill())
                        return -EAGAIN;
                if (found == FAULT_BEYOND && !grows)
                        result = -ENOMEM;
                if (found != FAULT_NO_MEMORY)
                        at = found == FAULT_BEYOND ? a->end : at + PAGE_SIZE;
                if (!work_goes_on())
                        break;
        }
        return result;
}

/* Only checks the range. */
long sys_munlock(long start, long size, AFTER_2)
{
        uintptr_t from = (uintptr_t)start & ~(uintptr_t)(PAGE_SIZE - 1);
        size_t whole = page_up((size_t)size + ((uintptr_t)start - from));
        if (from + whole < from)
                return -EINVAL;
        return memory_is_whole(cpu_current->memory, from, whole) ? 0 : -ENOMEM;
}

long sys_mlock(long start, long size, AFTER_2)
{
        long error = sys_munlock(start, size, 0, 0, 0, 0);
        uintptr_t from = (uintptr_t)start & ~(uintptr_t)(PAGE_SIZE - 1);
        return error ? error : lock_fill(from, (uintptr_t)start + (size_t)size);
}

/* Later mappings are filled when touched. */
long sys_mlockall(long how, AFTER_1)
{
        unsigned flags = (unsigned)how;
        if (flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) || !flags || flags == MCL_ONFAULT)
                return -EINVAL;
        if (flags & MCL_CURRENT && !(flags & MCL_ONFAULT))
                lock_fill(0, cpu_current->memory->limit);
        return 0;
}

long sys_munlockall(AFTER_0)
{
        return 0;
}
