/*
 * narrow.c - the readers of hostile bytes with a size_t of 32 bits, as in the i386 kernel. Built
 * for both widths as a program of Tollgate's (no libc); the two must say the same: a sum that wraps
 * in 32 bits only, or a 64-bit field that loses its upper half, changes the digests.
 */
#include "lib.h"
#include "lib/crc32.h"
#include "samples.h"

#define MUTATIONS 10000

static uint32_t digest;

/* What was found goes into the digest; offsets, not pointers, so that it has no width. */
static void note(uint64_t value)
{
        const uint64_t both[] = {digest, value};
        digest = crc32(both, sizeof both);
}

static void note_text(const char *text)
{
        note(text ? crc32(text, strlen(text)) : 0);
}

/* 32 bits: i386 has no 64-bit division for what is done with them. */
static uint32_t chance(void)
{
        static uint64_t state = 1;
        state ^= state << 13; /* Marsaglia: "Xorshift RNGs" */
        state ^= state >> 7;
        state ^= state << 17;
        return (uint32_t)(state >> 32);
}

/* `size` bytes that end where an unmapped page begins: a step beyond is a fault. */
static uint8_t *fenced(const uint8_t *bytes, size_t size)
{
        static uint8_t *end;
        if (!end) {
                enum {
                        MMAP = sizeof(void *) == 8 ? 9 : 192,
                        MPROTECT = sizeof(void *) == 8 ? 10 : 125
                };
                long area = system_call(MMAP, 0L, 8192L, 3L, 0x22L, -1L, 0L);
                end = (uint8_t *)area + 4096;
                if (system_call(MPROTECT, (long)end, 4096L, 0L, 0L, 0L, 0L))
                        return NULL;
        }
        put_bytes(end - size, bytes, size);
        return end - size;
}

static bool read_program(const uint8_t *bytes, size_t size)
{
        struct elf elf;
        const char *wrong = read_elf(&elf, fenced(bytes, size), size);
        note_text(wrong);
        if (wrong)
                return true;
        note(elf.entry);
        note(elf.header_address);
        for (size_t i = 0; i < elf.segment_count; i++) {
                note(elf.segments[i].address);
                note(elf.segments[i].memory_size);
                note(elf.segments[i].offset);
                note(elf.segments[i].file_size);
        }
        return program_is_safe(&elf, size);
}

static bool read_archive(const uint8_t *bytes, size_t size)
{
        static const char *const paths[] = {"/bin/a", "/bin/longer", "/empty", "/seven"};
        struct initrd tree;
        struct initrd_file file;
        const uint8_t *data = fenced(bytes, size);
        const char *wrong = initrd_open(&tree, data, size);
        bool safe = true;
        note_text(wrong);
        for (size_t i = 0; !wrong && i < sizeof paths / sizeof *paths; i++)
                if (!tree_find(&tree, paths[i], &file)) {
                        note((uint64_t)(file.data - data));
                        note(file.size);
                        safe &= file_is_safe(&tree, &file);
                }
        return safe;
}

/* Values about which 32 bits and 64 could differ. */
static uint64_t edge(size_t size)
{
        static const uint64_t edges[] = {0, 1ull << 31, 1ull << 32, 1ull << 63, 0xfffffff0};
        return edges[chance() % 5] + (chance() % 3 == 0 ? size : 0) + chance() % 256 - 128;
}

static void programs(void)
{
        unsigned unsafe = 0;
        for (unsigned i = 0; i < MUTATIONS; i++) {
                uint8_t bytes[PROGRAM_MOST];
                unsigned bits = chance() % 2 ? 32 : 64;
                size_t size = make_program(bytes, bits);
                for (unsigned changes = chance() % 4; changes--;)
                        if (chance() % 4)
                                put_segment_field(bytes, bits, chance() % 3,
                                                  chance() % SEGMENT_FIELDS, edge(size));
                        else
                                put_file_field(bytes, bits, E_ENTRY + chance() % 4, edge(size));
                unsafe += !read_program(bytes, size - (chance() % 4 ? 0 : chance() % size));
        }
        check(!unsafe, "programs", "digest %08x, %u not safe", digest, unsafe);
}

static void archives(void)
{
        unsigned unsafe = 0;
        for (unsigned i = 0; i < MUTATIONS; i++) {
                uint8_t bytes[ARCHIVE_MOST];
                static const unsigned fields[] = {C_SIZE, C_NAME_SIZE, C_CHECK, C_MODE};
                size_t size = make_archive(bytes);
                for (unsigned changes = chance() % 3; changes--;) {
                        static const uint8_t entries[] = {0, 116, 240};
                        put_archive_field(bytes + entries[chance() % 3], fields[chance() % 4],
                                          (uint32_t)edge(size));
                }
                unsafe += !read_archive(bytes, size - (chance() % 4 ? 0 : chance() % size));
        }
        check(!unsafe, "archives", "digest %08x, %u not safe", digest, unsafe);
}

/* The sizes of printf.h whose width differs, and division where the processor has none. */
static void texts(void)
{
        char text[128];
        uint64_t value = UINT64_MAX;
        uint32_t rest = divide64(&value, 10);
        snprintf(text, sizeof text, "%lld %llx %ld %lu %zu %x [%5s] %lld", (long long)INT64_MIN,
                 0x123456789abcdefull, -1l, 4294967295ul, (size_t)4294967295u, ~0u, "x",
                 (long long)INT64_MAX);
        check(!strcmp(text,
                      "-9223372036854775808 123456789abcdef -1 4294967295 4294967295 ffffffff "
                      "[    x] 9223372036854775807"),
              "texts", "%s", text);
        check(value == 1844674407370955161u && rest == 5, "division", "%llu, rest %u",
              (unsigned long long)value, rest);
}

int main(void)
{
        programs();
        archives();
        texts();
        return check_status();
}
