/* frame.c - the memory that is handed out (boot/multiboot.c, boot/map.c, kernel/core/mem/frame.c).
 * For maps with holes up to 1 TiB, and with double, torn, unsorted or unreachable ranges, in both
 * protocols: each free frame once, and no other.
 *
 * The kernel's sources are included; the direct map is a piece of the host's memory. */
#include "unit.h"
#include "layout.h"
#undef KERNEL_BASE
#undef DIRECT_SIZE
#define KERNEL_BASE 0x200000000000
#define DIRECT_SIZE 0x800000
#include "cpu/features.h"
#include "mem/frame.h"
#undef PHYSICAL
#define PHYSICAL(pointer) ((void)(pointer), (uint64_t)IMAGE_END)

/* The host's; <sys/mman.h> defines the constants of uapi.h differently. */
void *mmap(void *at, size_t size, int access, int flags, int descriptor, long offset);

#define IMAGE_END 0x1a7010 /* in the middle of a frame */
#define INFORMATION 0x8000 /* where the loader's is */
#define FRAMES (DIRECT_SIZE / PAGE_SIZE)
#define TERABYTE ((uint64_t)1 << 40)
#define MAPS 400
#define MOST 40 /* entries of a map */

char image_end[1];
bool cpu_features[FEATURES]; /* none: pages are cleared line by line */

#include "../../boot/map.c"
#include "../../boot/multiboot.c"
#include "../../kernel/core/mem/frame.c"

static struct entry {
        uint64_t start, length;
        uint32_t type;
} map[MOST];
static size_t entries;

static void *put(void *to, uint64_t value, size_t size)
{
        return (char *)memcpy(to, &value, size) + size;
}

/* Multiboot 1: the map's entries, and the pointers to them. */
static uint32_t tell1(uint32_t initrd, uint32_t initrd_end)
{
        uint32_t *mb = DIRECT(INFORMATION);
        memset(mb, 0, PAGE_SIZE);
        mb[0] = 1 << 3 | 1 << 6;
        mb[5] = 1;
        mb[6] = INFORMATION + 256;
        ((uint32_t *)DIRECT(mb[6]))[0] = initrd;
        ((uint32_t *)DIRECT(mb[6]))[1] = initrd_end;
        mb[12] = INFORMATION + 512;
        char *at = DIRECT(mb[12]), *from = at;
        for (size_t i = 0; i < entries; i++) {
                at = put(at, 20, 4);
                at = put(at, map[i].start, 8);
                at = put(at, map[i].length, 8);
                at = put(at, map[i].type, 4);
        }
        mb[11] = (uint32_t)(at - from);
        return MULTIBOOT1_MAGIC;
}

/* Multiboot 2: a tag of the map, one of the initrd, the end. */
static uint32_t tell2(uint32_t initrd, uint32_t initrd_end)
{
        char *from = DIRECT(INFORMATION), *at = from + 8;
        at = put(put(at, 6, 4), 16 + 24 * entries, 4);
        at = put(put(at, 24, 4), 0, 4);
        for (size_t i = 0; i < entries; i++) {
                at = put(put(at, map[i].start, 8), map[i].length, 8);
                at = put(put(at, map[i].type, 4), 0, 4);
        }
        at = put(put(put(put(at, 3, 4), 16, 4), initrd, 4), initrd_end, 4);
        at = put(put(at, 0, 4), 8, 4);
        put(from, (uint64_t)(at - from), 4);
        return MULTIBOOT2_MAGIC;
}

static struct boot_info boot;

/* Returns the number of frames. */
static size_t start_with(uint32_t (*tell)(uint32_t, uint32_t), uint32_t initrd, uint32_t end)
{
        memory_top = free_list = zeros_list = 0;
        free_frames = frame_total = 0;
        frames = NULL;
        assert_null(boot_read(&boot, tell(initrd, end), INFORMATION));
        frame_init(&boot);
        return frame_count();
}

static bool touches(uint64_t frame, uint64_t start, uint64_t length)
{
        uint64_t end = start + length < start ? UINT64_MAX : start + length;
        return length && frame + PAGE_SIZE > start && frame < end;
}

static bool holds(const struct entry *e, uint64_t frame)
{
        uint64_t end = e->start + e->length < e->start ? UINT64_MAX : e->start + e->length;
        return e->start <= frame && frame + PAGE_SIZE <= end;
}

static bool is_free(uint64_t frame, uint32_t initrd, uint32_t end)
{
        bool free = false;
        for (size_t i = 0; i < entries; i++) {
                if (map[i].type != 1 && touches(frame, map[i].start, map[i].length))
                        return false;
                free |= map[i].type == 1 && holds(&map[i], frame);
        }
        return free && frame >= 0x100000 && frame >= IMAGE_END &&
               !touches(frame, initrd, end - initrd);
}

/* Takes all frames, and marks them. */
static void take_all(uint8_t *taken)
{
        memset(taken, 0, FRAMES);
        for (uintptr_t frame; (frame = frame_take());) {
                assert_int_equal(frame % PAGE_SIZE, 0);
                assert_true(frame < DIRECT_SIZE && frame < memory_top);
                assert_int_equal(taken[frame / PAGE_SIZE]++, 0);
                assert_int_equal(frame_users(frame), 1);
        }
        assert_int_equal(frame_count(), 0);
}

/* A taken frame is free in the map. The free frames that are not taken are the table, in one piece.
 * If ranges are torn within frames, adjacent parts do not make a whole frame. */
static void is_right(uint32_t initrd, uint32_t end, size_t found)
{
        static uint8_t taken[FRAMES];
        size_t left = 0, first = 0, last = 0;
        take_all(taken);
        for (size_t i = 0; i < FRAMES; i++) {
                bool free = is_free(i * PAGE_SIZE, initrd, end);
                assert_true(!taken[i] || free);
                if (!free || taken[i])
                        continue;
                first = left++ ? first : i;
                last = i;
        }
        size_t table = (memory_top / PAGE_SIZE * sizeof *frames + PAGE_SIZE - 1) / PAGE_SIZE;
        if (!found)
                return; /* there was no room for the table */
        assert_int_equal(left, table);
        assert_int_equal(last - first + 1, table);
}

static struct entry chance_entry(void)
{
        static const uint64_t scales[] = {0x10000,     0x100000,   DIRECT_SIZE,
                                          DIRECT_SIZE, 1ull << 32, TERABYTE};
        uint64_t scale = scales[chance_below(6)], start = chance_below(scale);
        uint64_t length = chance_below(scales[chance_below(6)]);
        if (chance_below(4))
                start &= ~(uint64_t)(PAGE_SIZE - 1), length &= ~(uint64_t)(PAGE_SIZE - 1);
        if (!chance_below(50))
                length = UINT64_MAX - chance_below(0x2000);
        return (struct entry){start, length, chance_below(3) ? 1 : 2 + (uint32_t)chance_below(4)};
}

static void any_map(void **state)
{
        size_t some = 0;
        for (unsigned n = 0; n < MAPS; n++) {
                entries = 1 + chance_below(chance_below(8) ? 8 : MOST);
                for (size_t i = 0; i < entries; i++)
                        map[i] = chance_entry();
                map[chance_below(entries)] = (struct entry){0x100000, DIRECT_SIZE - 0x100000, 1};
                uint32_t initrd = 0x200000 + (uint32_t)chance_below(0x40000);
                uint32_t end = initrd + (uint32_t)chance_below(0x80000);
                uint32_t (*tell)(uint32_t, uint32_t) = n % 2 ? tell1 : tell2;
                size_t found = start_with(tell, initrd, end);
                is_right(initrd, end, found);
                some += found != 0;
        }
        assert_in_range(some, MAPS / 2, MAPS);
}

/* A PC's: low memory, its hole, memory above 4 GiB, and devices below 1 TiB. */
static void a_hole_of_a_terabyte(void **state)
{
        static const struct entry pc[] = {{0, 0x9fc00, 1},
                                          {0x9fc00, 0x400, 2},
                                          {0xf0000, 0x10000, 2},
                                          {0x100000, 0x300000, 1},
                                          {0x400000, 0x10000, 3},
                                          {0x500000, 0x200000, 1},
                                          {0xfd00000000, 0x300000000, 2},
                                          {TERABYTE, 64 * TERABYTE, 1}};
        memcpy(map, pc, sizeof pc);
        entries = sizeof pc / sizeof *pc;
        for (unsigned n = 0; n < 2; n++) {
                size_t found = start_with(n ? tell1 : tell2, 0x200000, 0x280000);
                assert_int_equal(memory_top, 0x700000);
                assert_int_equal(boot.memory.count, 2);
                is_right(0x200000, 0x280000, found);
        }
}

/* More ranges than the table has room for: some stay unused, and none is used twice. */
static void more_ranges_than_there_is_room_for(void **state)
{
        static struct boot_map full;
        for (uint64_t i = 0; i < 3 * MAP_RANGES; i++)
                map_add(&full, 0x100000 + i * 0x3000, 0x102000 + i * 0x3000);
        assert_int_equal(full.count, MAP_RANGES);
        map_remove(&full, 0x101000, 0x101001);
        map_add(&full, 0, DIRECT_SIZE);
        assert_int_equal(full.count, 1);
        for (uint64_t i = 0; i < 2 * MAP_RANGES; i++)
                map_remove(&full, 0x200000 + i * 0x2000, 0x200000 + i * 0x2000 + 1);
        assert_int_equal(full.count, MAP_RANGES);
        for (size_t i = 1; i < full.count; i++)
                assert_true(full.ranges[i - 1].end <= full.ranges[i].start);
}

/* Freed zero frames are used first for requests of zeros, and in the end for all requests. */
static void tables_come_back(void **state)
{
        entries = 1;
        map[0] = (struct entry){0x100000, DIRECT_SIZE - 0x100000, 1};
        start_with(tell1, 0x200000, 0x280000);
        uintptr_t a = frame_of_zeros(), b = frame_of_zeros();
        size_t left = frame_count();
        frame_free_zeros(a);
        frame_free_zeros(b);
        assert_int_equal(frame_count(), left + 2);
        uintptr_t other = frame_allocate();
        assert_true(other != a && other != b);
        frame_free(other);
        assert_int_equal(frame_of_zeros(), b);
        assert_int_equal(frame_users(b), 1);
        frame_free_zeros(b);
        while (frame_allocate_ready())
                ;
        assert_int_equal(frame_count(), 2);
        assert_int_equal(frame_copy(other), 0);
        assert_int_equal(frame_allocate(), b);
        assert_true(frame_refill());
        assert_int_equal(frame_allocate_ready(), a);
        assert_false(frame_refill());
        start_with(tell1, 0x200000, 0x280000);
        frame_free_zeros(frame_allocate());
        is_right(0x200000, 0x280000, left + 2);
}

static void what_cannot_be_read(void **state)
{
        entries = 1;
        map[0] = (struct entry){0x100000, 0x400000, 1};
        assert_sentence(boot_read(&boot, 1, INFORMATION));
        assert_sentence(boot_read(&boot, tell1(0, 0), DIRECT_SIZE));
        tell1(0, 0);
        ((uint32_t *)DIRECT(INFORMATION))[12] = DIRECT_SIZE;
        assert_sentence(boot_read(&boot, MULTIBOOT1_MAGIC, INFORMATION));
        tell1(0, 0);
        *(uint32_t *)DIRECT(INFORMATION + 512) = 4;
        assert_sentence(boot_read(&boot, MULTIBOOT1_MAGIC, INFORMATION));
        tell2(0, 0);
        ((uint32_t *)DIRECT(INFORMATION))[4] = 8;
        assert_sentence(boot_read(&boot, MULTIBOOT2_MAGIC, INFORMATION));
        tell2(0, 0);
        ((uint32_t *)DIRECT(INFORMATION))[3] = 4;
        assert_sentence(boot_read(&boot, MULTIBOOT2_MAGIC, INFORMATION));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(any_map), cmocka_unit_test(a_hole_of_a_terabyte),
                cmocka_unit_test(more_ranges_than_there_is_room_for),
                cmocka_unit_test(tables_come_back), cmocka_unit_test(what_cannot_be_read)};
        const int read_write = 3, private_fixed_anonymous_sparse = 0x2 | 0x10 | 0x20 | 0x4000;
        void *direct = mmap((void *)KERNEL_BASE, DIRECT_SIZE + PAGE_SIZE, read_write,
                            private_fixed_anonymous_sparse, -1, 0);
        if (direct != (void *)KERNEL_BASE)
                return 1;
        return cmocka_run_group_tests(tests, NULL, NULL);
}
