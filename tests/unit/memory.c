/*
 * memory.c - a program's memory (kernel/core/mem/memory.h) against a model: areas come, go and
 * change, files are mapped, written and cut, programs fork and end, and each touch finds what it
 * must. No frame is lost, whatever fails.
 *
 * The kernel's sources are included, with frames and heap of the test's own: the frames lie where
 * the direct map would show them.
 */
#include "unit.h"
#include "layout.h"
#undef KERNEL_BASE
#define KERNEL_BASE 0x200000000000
#define page_forget page_forget_by_processor
#define cr3_write cr3_write_by_processor
#include "cpu/cpu.h"
#undef page_forget
#undef cr3_write

static void page_forget(uintptr_t address)
{
        (void)address;
}

static void cr3_write(uintptr_t root)
{
        (void)root;
}

#include "above.h"
#include "cpu/features.h"
#include "cpu/work.h"
#include "cpu/msr.h"
#include "node/mapped.h"
#include "node/node.h"
#include "mem/frame.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "process/process.h"

/* The host's; <sys/mman.h> spells the constants of uapi.h in another way. */
void *mmap(void *at, size_t size, int access, int flags, int descriptor, long offset);

char image_start[1], text_end[1], gate_image[1], rodata_end[1], image_end[1], boot_stack_top[1];
char gate_size[1], gate32_image[1], gate32_size[1];
pte_t early_windows[1024];
struct thread *cpu_current, *threads;
bool cpu_features[FEATURES]; /* none: no MSR is written */
struct msrs_kept msrs_kept;
pte_t page_no_execute = 1ull << 63;
uintptr_t memory_top = 64 << 20;

void descriptor_set_space(uintptr_t root);
void descriptor_set_space(uintptr_t root)
{
        (void)root;
}

static bool map_images(uintptr_t space, enum origin origin)
{
        (void)space, (void)origin;
        return true;
}

static void file(enum file_use use, struct node *node, struct memory *memory)
{
        if (use == FILE_MAPPED)
                mapped_begin(node);
        else if (use == FILE_UNMAPPED)
                mapped_end(node);
        else if (use == FILE_WRITTEN)
                mapped_written(node);
        else if (memory)
                memory_execute(memory, node);
        else
                memory_executed(node);
}

const struct above above = {.file = file, .file_fault = mapped_fault, .map_images = map_images};

void interrupt_window(void)
{
}

uint8_t cpu_work = WORK_RESCHEDULE; /* it is always another's turn */

bool work_goes_on(void)
{
        return true;
}

struct cpuid cpuid_leaf(uint32_t leaf)
{
        (void)leaf;
        return (struct cpuid){0};
}

void space_map_trusted_gate(void)
{
}

static unsigned objects_left = ~0u;

void *heap_allocate(size_t size)
{
        return objects_left-- ? calloc(1, size) : NULL;
}

void *heap_take(size_t size)
{
        return objects_left-- ? malloc(size) : NULL;
}

void heap_free(void *object)
{
        free(object);
}

/* --- frames ------------------------------------------------------------------------------------
 */

#define FRAMES 1024
static unsigned users[FRAMES], used, most = FRAMES;

uintptr_t frame_take(void)
{
        for (uintptr_t i = 1; used < most && i < FRAMES; i++) {
                if (users[i])
                        continue;
                users[i] = 1;
                used++;
                return i * PAGE_SIZE;
        }
        return 0;
}

uintptr_t frame_allocate(void)
{
        uintptr_t frame = frame_take();
        if (frame)
                memset(DIRECT(frame), 0, PAGE_SIZE);
        return frame;
}

uintptr_t frame_allocate_ready(void)
{
        return frame_allocate();
}

bool frame_refill(void)
{
        return false;
}

uintptr_t frame_of_zeros(void)
{
        return frame_allocate();
}

void frame_free_zeros(uintptr_t frame)
{
        const char *page = DIRECT(frame);
        assert_int_equal(users[frame / PAGE_SIZE], 1);
        assert_true(!page[0] && !memcmp(page, page + 1, PAGE_SIZE - 1));
        frame_free(frame);
}

uintptr_t frame_copy(uintptr_t frame)
{
        uintptr_t copy = frame_allocate();
        if (copy)
                memcpy(DIRECT(copy), DIRECT(frame), PAGE_SIZE);
        return copy;
}

void frame_share(uintptr_t frame)
{
        assert_true(users[frame / PAGE_SIZE]++);
}

void frame_free(uintptr_t frame)
{
        assert_true(users[frame / PAGE_SIZE]);
        used -= !--users[frame / PAGE_SIZE];
        memset(DIRECT(frame), users[frame / PAGE_SIZE] ? *(uint8_t *)DIRECT(frame) : 0xee, 1);
}

unsigned frame_users(uintptr_t frame)
{
        return users[frame / PAGE_SIZE];
}

/* --- a file -------------------------------------------------------------------------------------
 */

#define FILE_PAGES 8
static uintptr_t file_frames[FILE_PAGES];
static size_t file_pages;           /* its size */
static unsigned touched, file_full; /* one in so many frames is refused; 0 = none */

void node_release(struct node *node)
{
        if (node)
                node->users--;
}

struct node_time node_now(void)
{
        return (struct node_time){1, 2};
}

static void file_touch(struct node *node, unsigned which, const struct node_time times[NODE_TIMES])
{
        (void)node;
        assert_int_equal(which, 1 << NODE_WRITTEN);
        assert_int_equal(times[NODE_WRITTEN].seconds, 1);
        touched++;
}

static uintptr_t file_frame(struct node *node, uint64_t offset)
{
        (void)node;
        size_t page = (size_t)(offset / PAGE_SIZE);
        if (page >= file_pages)
                return 0;
        if (!file_frames[page] && !(file_full && !chance_below(file_full)))
                file_frames[page] = frame_allocate();
        return file_frames[page];
}

static long file_read(struct node *node, uint64_t offset, void *to, size_t size)
{
        (void)node;
        size_t page = (size_t)(offset / PAGE_SIZE);
        if (page >= file_pages)
                return 0;
        assert_int_equal(size, PAGE_SIZE);
        memset(to, 0, size);
        if (file_frames[page])
                memcpy(to, DIRECT(file_frames[page]), size);
        return (long)size;
}

bool node_read(struct node *node, uint64_t offset, void *to, size_t size)
{
        (void)node, (void)offset;
        memset(to, 0x55, size);
        return true;
}

static const struct node_kind file_kind_here = {
        .frame = file_frame, .read = file_read, .touch = file_touch};
static struct node file_here = {.kind = &file_kind_here};

#include "../../kernel/core/mem/area.c"
#include "../../kernel/unix/node/mapped.c"
#include "../../kernel/core/mem/memory.c"
#include "../../kernel/core/mem/space.c"
#include "../../kernel/core/mem/tree.c"

/* --- the model ---------------------------------------------------------------------------------
 */

#define PAGES 64
#define BASE                                                                                       \
        (0x1e0000000000 - PAGES / 2 * PAGE_SIZE) /* over the border of two top-level entries       \
                                                  */
#define PROGRAMS 6
#define ROUNDS 15000

struct page {
        bool mapped;
        unsigned flags;
        int *content;   /* its first byte; one for all that share it */
        size_t in_file; /* which page of the file it is, counted from 1; 0 = of no file */
};
static int *file_contents[FILE_PAGES];
static struct program {
        struct memory *memory;
        struct page pages[PAGES];
} programs[PROGRAMS];
static int contents[ROUNDS + 2 * ROUNDS * PAGES], *next_content;

static int *new_content(int value)
{
        *next_content = value;
        return next_content++;
}

static uintptr_t address_of(size_t page)
{
        return BASE + page * PAGE_SIZE;
}

/* As the processor: the page table decides, else memory_fault(), after which it must be there. */
static uint8_t *touch(struct memory *memory, uintptr_t address, unsigned access, enum fault *fault)
{
        for (int tries = 0; tries < 2; tries++) {
                pte_t *entry = space_entry(memory->space, address);
                if (entry && (access != AREA_WRITE || *entry & PTE_WRITE) &&
                    (access != AREA_EXECUTE || !(*entry & PTE_NX))) {
                        assert_true(*entry & PTE_USER);
                        assert_false(*entry & PTE_WRITE && !(*entry & PTE_NX));
                        return DIRECT(*entry & PTE_ADDRESS);
                }
                if ((*fault = memory_fault(memory, address, access)) != FAULT_RESOLVED)
                        return NULL;
        }
        fail_msg("a page that was found is not there");
        return NULL;
}

/* A page that is still the file's own. */
static bool is_files(const struct page *page)
{
        return page->in_file && page->content == file_contents[page->in_file - 1];
}

static void try_touch(struct program *program, size_t page, unsigned access)
{
        struct page *model = &program->pages[page];
        enum fault fault;
        uint8_t *at = touch(program->memory, address_of(page), access, &fault);
        if (!model->mapped) {
                assert_true(!at && fault == FAULT_UNMAPPED);
        } else if (!(model->flags & access)) {
                assert_true(!at && fault == FAULT_FORBIDDEN);
        } else if (model->in_file > file_pages) {
                assert_true(!at && fault == FAULT_BEYOND);
        } else {
                assert_non_null(at);
                assert_int_equal(*at, *model->content);
                if (access == AREA_WRITE && is_files(model) && !(model->flags & AREA_SHARED))
                        model->content = new_content(0);
                if (access == AREA_WRITE)
                        *at = (uint8_t)(*model->content = (int)chance_below(256));
        }
}

static unsigned chance_flags(void)
{
        static const unsigned flags[] = {0, AREA_READ, AREA_READ | AREA_WRITE,
                                         AREA_READ | AREA_WRITE, AREA_READ | AREA_EXECUTE};
        return flags[chance_below(sizeof flags / sizeof *flags)];
}

static void try_map(struct program *program, size_t page, size_t count)
{
        unsigned flags = chance_flags() | (chance_below(4) ? 0 : AREA_SHARED);
        assert_int_equal(memory_map(program->memory, address_of(page), count * PAGE_SIZE, flags),
                         0);
        for (size_t i = page; i < page + count; i++)
                program->pages[i] = (struct page){true, flags, new_content(0), 0};
}

static void try_map_file(struct program *program, size_t page, size_t count)
{
        size_t first = chance_below(FILE_PAGES);
        unsigned flags = chance_flags() | (chance_below(2) ? 0 : AREA_SHARED);
        if (count > FILE_PAGES - first)
                count = FILE_PAGES - first;
        assert_int_equal(memory_map_file(program->memory, address_of(page), count * PAGE_SIZE,
                                         flags, &file_here, first * PAGE_SIZE),
                         0);
        for (size_t i = 0; i < count; i++)
                program->pages[page + i] =
                        (struct page){true, flags, file_contents[first + i], first + i + 1};
}

/* As write(2) does. */
static void try_write(size_t page)
{
        uintptr_t frame = page < file_pages ? file_frame(&file_here, page * PAGE_SIZE) : 0;
        if (frame)
                *(uint8_t *)DIRECT(frame) =
                        (uint8_t)(*file_contents[page] = (int)chance_below(256));
}

/* As truncate(2) does: the pages behind the end are gone, and their private copies. */
static void try_cut(size_t size)
{
        for (size_t i = 0; i < PROGRAMS; i++)
                memory_cut(programs[i].memory, &file_here, size * PAGE_SIZE);
        for (size_t page = size; page < file_pages; page++) {
                if (file_frames[page])
                        frame_free(file_frames[page]);
                file_frames[page] = 0;
                for (size_t i = 0; i < PROGRAMS * PAGES; i++) {
                        struct page *p = &programs[i / PAGES].pages[i % PAGES];
                        if (p->in_file == page + 1)
                                p->content = file_contents[page];
                }
                *file_contents[page] = 0;
        }
        file_pages = size;
}

static void try_unmap(struct program *program, size_t page, size_t count)
{
        assert_int_equal(memory_unmap(program->memory, address_of(page), count * PAGE_SIZE), 0);
        memset(&program->pages[page], 0, count * sizeof *program->pages);
}

static void try_protect(struct program *program, size_t page, size_t count)
{
        unsigned flags = chance_flags();
        bool whole = true;
        for (size_t i = page; i < page + count; i++)
                whole &= program->pages[i].mapped;
        int error = memory_protect(program->memory, address_of(page), count * PAGE_SIZE, flags);
        assert_int_equal(error, whole ? 0 : -ENOMEM);
        for (size_t i = page; i < page + count && program->pages[i].mapped; i++)
                program->pages[i].flags = (program->pages[i].flags & AREA_SHARED) | flags;
}

static void try_fork(struct program *program, struct program *child)
{
        if (program == child)
                return;
        memory_release(child->memory);
        *child = *program;
        assert_true(memory_copy(&child->memory, program->memory));
        for (size_t i = 0; i < PAGES; i++)
                if (child->pages[i].mapped && !(child->pages[i].flags & AREA_SHARED) &&
                    !is_files(&child->pages[i]))
                        child->pages[i].content = new_content(*program->pages[i].content);
}

/* The list of areas is in order, without a gap in what is mapped, and says what the model says. */
static void check_areas(const struct program *program)
{
        const struct area *area = program->memory->areas;
        for (size_t i = 0; i < PAGES; i++) {
                uintptr_t at = address_of(i);
                while (area && area->end <= at)
                        area = area->next;
                bool mapped = area && area->start <= at;
                assert_int_equal(mapped, program->pages[i].mapped);
                if (mapped)
                        assert_int_equal(area->flags, program->pages[i].flags);
        }
}

/* Each area knows of its part of the tree what is so, and no side of it is two higher. Returns the
 * height; *next is the next of the list. */
static unsigned check_tree(const struct area *tree, const struct area **next)
{
        if (!tree)
                return 0;
        const struct area *first = *next;
        unsigned below = check_tree(tree->child[0], next);
        assert_ptr_equal(tree, *next);
        *next = tree->next;
        unsigned above = check_tree(tree->child[1], next), higher = below > above ? below : above;
        assert_in_range(below, higher ? higher - 1 : 0, higher);
        assert_in_range(above, higher ? higher - 1 : 0, higher);
        assert_int_equal(tree->height, higher + 1);
        size_t room = 0;
        uintptr_t end = 0;
        for (const struct area *area = first; area != *next; area = area->next) {
                uintptr_t floor = tree_floor(area);
                if (area != first && floor > end && floor - end > room)
                        room = floor - end;
                end = area->end;
        }
        assert_int_equal(tree->low, tree_floor(first));
        assert_int_equal(tree->high, end);
        assert_int_equal(tree->room, room);
        return higher + 1;
}

/* Room is looked for from the lowest area up: the last that is found is the highest. */
static uintptr_t room_by_list(const struct memory *memory, size_t size, uintptr_t top)
{
        uintptr_t room = 0, start = MEMORY_LOWEST;
        for (const struct area *area = memory->areas;; area = area->next) {
                uintptr_t end = area ? tree_floor(area) : memory->limit;
                if (end > top)
                        end = top;
                if (end > start && end - start >= size)
                        room = end - size;
                if (!area)
                        return room;
                if (area->end > start)
                        start = area->end;
        }
}

static size_t pages_of(const struct memory *memory)
{
        size_t count = 0;
        for (uintptr_t at = 0; space_next(memory->space, &at, memory->limit); at += PAGE_SIZE)
                count++;
        return count;
}

static void check_order(const struct memory *memory)
{
        const struct area *next = memory->areas;
        unsigned count = 0;
        assert_int_equal(memory->resident, pages_of(memory));
        assert_true(memory_peak(memory) >= memory->resident);
        check_tree(memory->tree, &next);
        assert_null(next);
        for (const struct area *area = memory->areas; area; area = area->next, count++) {
                const struct area *behind = area->next;
                assert_true(area->start < area->end);
                assert_true(!behind || behind->start > area->end ||
                            (behind->start == area->end &&
                             (behind->flags != area->flags || behind->node != area->node ||
                              (area->node &&
                               behind->offset != area->offset + (area->end - area->start)))));
        }
        assert_int_equal(count, memory->area_count);
        for (unsigned i = 0; i < 4; i++) {
                size_t size = (1 + chance_below(PAGES / 2)) * PAGE_SIZE;
                uintptr_t top = chance_below(2) ? memory->limit : address_of(chance_below(PAGES));
                assert_int_equal(memory_find_room(memory, size, top),
                                 room_by_list(memory, size, top));
        }
}

static void start(struct program *program)
{
        memset(program, 0, sizeof *program);
        program->memory = memory_create(ORIGIN_USER);
        assert_non_null(program->memory);
}

static void test_random(void **state)
{
        (void)state;
        unsigned before = used;
        next_content = contents;
        for (size_t i = 0; i < FILE_PAGES; i++)
                file_contents[i] = new_content(0);
        file_pages = FILE_PAGES / 2;
        for (size_t i = 0; i < PROGRAMS; i++)
                start(&programs[i]);
        for (size_t round = 0; round < ROUNDS; round++) {
                struct program *program = &programs[chance_below(PROGRAMS)];
                size_t page = chance_below(PAGES), count = 1 + chance_below(PAGES - page);
                switch (chance_below(32)) {
                case 0: try_map(program, page, count); break;
                case 1: try_unmap(program, page, count); break;
                case 2:
                case 3:
                        try_protect(program, page,
                                    count % 8 + 1 <= PAGES - page ? count % 8 + 1 : 1);
                        break;
                case 4: try_fork(program, &programs[chance_below(PROGRAMS)]); break;
                case 5: try_map_file(program, page, count); break;
                case 6: try_write(chance_below(FILE_PAGES)); break;
                case 7:
                        if (!chance_below(4))
                                try_cut(chance_below(FILE_PAGES + 1));
                        break;
                default: try_touch(program, page, 1u << chance_below(3)); break;
                }
                check_areas(program);
                check_order(program->memory);
        }
        for (size_t i = 0; i < PROGRAMS; i++)
                memory_release(programs[i].memory);
        memset(programs, 0, sizeof programs);
        assert_true(touched);
        assert_true(!file_here.users && !file_here.mapped);
        for (size_t i = 0; i < FILE_PAGES; i++) {
                if (file_frames[i])
                        frame_free(file_frames[i]);
                file_frames[i] = 0;
        }
        assert_int_equal(used, before);
}

/* Whichever frame is the last one: what cannot be done is undone, and the parent goes on. */
static void test_out_of_memory(void **state)
{
        (void)state;
        unsigned before = used, copies = 0, faults = 0;
        enum fault fault;
        for (unsigned spare = 0; spare < 40; spare++) {
                struct program parent;
                start(&parent);
                memory_map(parent.memory, BASE, PAGES * PAGE_SIZE, AREA_READ | AREA_WRITE);
                for (size_t page = 0; page < PAGES; page += 4)
                        *touch(parent.memory, address_of(page), AREA_WRITE, &fault) = 1;
                unsigned ours = used;
                most = used + spare;
                struct memory *child;
                copies += memory_copy(&child, parent.memory);
                assert_true(child || used == ours);
                for (size_t page = 0; page < PAGES; page++) {
                        uint8_t *at = touch(parent.memory, address_of(page), AREA_WRITE, &fault);
                        if (at)
                                assert_int_equal((*at)++, page % 4 == 0);
                        else
                                assert_int_equal(fault, FAULT_NO_MEMORY);
                        faults += !at;
                }
                assert_int_equal(memory_map(parent.memory, BASE - PAGES * PAGE_SIZE,
                                            PAGES * PAGE_SIZE, AREA_READ | AREA_SHARED),
                                 -ENOMEM);
                most = FRAMES;
                for (size_t page = 0; child && page < PAGES; page++)
                        assert_int_equal(*touch(child, address_of(page), AREA_READ, &fault),
                                         page % 4 == 0);
                memory_release(child);
                memory_release(parent.memory);
                assert_int_equal(used, before);
        }
        assert_true(copies > 0 && copies < 40 && faults > 0);
}

/* A page here and a page there, dropped in every way: the tables come back with the last one. */
static void test_tables(void **state)
{
        (void)state;
        struct program program;
        enum fault fault;
        start(&program);
        struct memory *memory = program.memory;
        memory_map(memory, BASE, PAGE_SIZE, AREA_READ | AREA_WRITE);
        touch(memory, BASE, AREA_WRITE, &fault);
        const uintptr_t steps[] = {PAGE_SIZE, 2 << 20, 1 << 30, 512ul << 30};
        unsigned before = used;
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
                uintptr_t far = BASE + steps[i] * 5;
                assert_int_equal(memory_map(memory, far, 3 * steps[i], AREA_READ), 0);
                touch(memory, far, AREA_READ, &fault);
                touch(memory, far + steps[i], AREA_READ, &fault);
                memory_drop(memory, far, far + PAGE_SIZE, AREA_SHARED);
                touch(memory, far + 2 * steps[i], AREA_READ, &fault);
                assert_true(used > before);
                memory_drop(memory, far, far + 3 * steps[i], AREA_SHARED);
                assert_int_equal(used, before);
                touch(memory, far + steps[i], AREA_READ, &fault);
                memory_unmap(memory, far, 3 * steps[i]);
                assert_int_equal(used, before);
        }
        memory_unmap(memory, BASE, PAGE_SIZE);
        memory_release(memory);
}

/* A page that cannot be had, for want of a file or of whichever frame, and its area goes: the
 * tables on its way go at the end, and each is empty then. */
static void test_missed(void **state)
{
        (void)state;
        const uintptr_t steps[] = {2 << 20, 1 << 30, 512ul << 30};
        const unsigned before = used, kinds = 5, spares = 6;
        for (unsigned i = 0; i < kinds * spares * sizeof steps / sizeof *steps; i++) {
                struct program program;
                enum fault fault;
                start(&program);
                struct memory *memory = program.memory;
                const uintptr_t far = BASE + steps[i / kinds / spares] * 3;
                const unsigned access = AREA_READ | AREA_WRITE;
                memory_map(memory, BASE, PAGES * PAGE_SIZE, access);
                touch(memory, BASE, AREA_WRITE, &fault);
                touch(memory, address_of(PAGES - 1), AREA_WRITE, &fault);
                most = used + i / kinds % spares;
                switch (i % kinds) {
                case 0: memory_map(memory, far, PAGE_SIZE, access); break;
                case 1: memory_map(memory, far, PAGE_SIZE, access | AREA_SHARED); break;
                case 2: memory_move(memory, BASE, PAGE_SIZE, far, PAGE_SIZE); break;
                case 3:
                        memory_map_file(memory, far, PAGE_SIZE, access, &file_here,
                                        FILE_PAGES * PAGE_SIZE);
                        break;
                default:
                        memory_map(memory, far, PAGE_SIZE, access);
                        memory_load(memory, far, PAGE_SIZE, &file_here, 0);
                }
                if (i % kinds < 4)
                        touch(memory, far, AREA_READ, &fault);
                most = FRAMES;
                memory_unmap(memory, far, PAGE_SIZE);
                memory_release(memory);
                assert_int_equal(used, before);
        }
}

/* As many areas as there may be, in any order, and gone again: the tree stays low. */
static void test_many(void **state)
{
        (void)state;
        struct program program;
        unsigned before = used;
        start(&program);
        struct memory *memory = program.memory;
        static unsigned order[AREAS_MAX];
        for (unsigned way = 0; way < 3; way++) {
                for (unsigned i = 0; i < AREAS_MAX; i++) {
                        unsigned other = way == 2 ? (unsigned)chance_below(i + 1) : i;
                        order[i] = order[other];
                        order[other] = way ? i : AREAS_MAX - 1 - i;
                }
                for (unsigned i = 0; i < AREAS_MAX; i++)
                        assert_int_equal(memory_map(memory, BASE + 2 * PAGE_SIZE * order[i],
                                                    PAGE_SIZE, AREA_READ),
                                         0);
                check_order(memory);
                assert_in_range(memory->tree->height, 10, 14);
                assert_int_equal(memory_map(memory, BASE - PAGE_SIZE * 2, PAGE_SIZE, AREA_READ),
                                 -ENOMEM);
                objects_left = 1 + (unsigned)chance_below(AREAS_MAX);
                struct memory *child;
                assert_false(memory_copy(&child, memory));
                assert_null(child);
                objects_left = ~0u;
                assert_true(memory_copy(&child, memory));
                check_order(child);
                memory_release(child);
                for (unsigned i = 0; i < AREAS_MAX; i++) {
                        memory_unmap(memory, BASE + 2 * PAGE_SIZE * order[i], PAGE_SIZE);
                        if (i % 64 == 0)
                                check_order(memory);
                }
                assert_null(memory->areas);
                assert_null(memory->tree);
        }
        memory_release(memory);
        assert_int_equal(used, before);
}

static void test_room(void **state)
{
        (void)state;
        struct program program;
        start(&program);
        struct memory *memory = program.memory;
        uintptr_t stack = memory->limit - (8 << 20);
        assert_int_equal(memory_map(memory, stack, 8 << 20, AREA_WRITE | AREA_GROWS_DOWN), 0);
        uintptr_t first = memory_find_room(memory, 10 * PAGE_SIZE, memory->limit);
        assert_int_equal(first, stack - STACK_GUARD - 10 * PAGE_SIZE);
        assert_true(memory_is_free(memory, first, 10 * PAGE_SIZE));
        assert_false(memory_is_free(memory, first, 11 * PAGE_SIZE));
        memory_map(memory, first, 10 * PAGE_SIZE, AREA_READ);
        assert_int_equal(memory_find_room(memory, PAGE_SIZE, memory->limit), first - PAGE_SIZE);
        memory_unmap(memory, first + PAGE_SIZE, 2 * PAGE_SIZE);
        assert_int_equal(memory_find_room(memory, PAGE_SIZE, memory->limit), first + 2 * PAGE_SIZE);
        assert_int_equal(memory_find_room(memory, 3 * PAGE_SIZE, memory->limit),
                         first - 3 * PAGE_SIZE);
        assert_int_equal(memory_find_room(memory, memory->limit, memory->limit), 0);
        memory_map(memory, MEMORY_LOWEST, PAGE_SIZE, AREA_READ | AREA_GROWS_DOWN);
        assert_false(memory_is_free(memory, MEMORY_LOWEST - PAGE_SIZE, PAGE_SIZE));
        memory_release(memory);
}

/* Pages from a disk are counted as others are; one that is there takes the bytes. */
static void test_load(void **state)
{
        (void)state;
        struct program program;
        enum fault fault;
        start(&program);
        struct memory *memory = program.memory;
        memory_map(memory, BASE, 4 * PAGE_SIZE, AREA_READ | AREA_WRITE);
        *touch(memory, BASE + PAGE_SIZE, AREA_WRITE, &fault) = 1;
        assert_int_equal(memory_load(memory, BASE, 3 * PAGE_SIZE - 5, &file_here, 0), 0);
        assert_int_equal(*touch(memory, BASE + PAGE_SIZE, AREA_READ, &fault), 0x55);
        assert_int_equal(memory->resident, 3);
        check_order(memory);
        memory_unmap(memory, BASE, 4 * PAGE_SIZE);
        assert_int_equal(memory->resident, 0);
        memory_release(memory);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_random), cmocka_unit_test(test_out_of_memory),
                cmocka_unit_test(test_tables), cmocka_unit_test(test_many),
                cmocka_unit_test(test_room),   cmocka_unit_test(test_load),
                cmocka_unit_test(test_missed),
        };
        void *arena = mmap(DIRECT(0), FRAMES * PAGE_SIZE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (arena != DIRECT(0))
                return 1;
        kernel_space = frame_allocate();
        return cmocka_run_group_tests(tests, NULL, NULL);
}
