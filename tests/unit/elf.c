/* elf.c - the reader of programs (kernel/lib/elf.h): it answers every input, with NULL or an error
 * message, and an accepted file is safe to load. Arguments: real programs to damage. */
#include "unit.h"
#include <sanitizer/asan_interface.h>
#include "lib/elf.h"

#define RANDOM_MUTATIONS 10000

/* --- a small program, made byte by byte, and the properties of an accepted one */

static void put_field(uint8_t *bytes, size_t offset, size_t size, uint64_t value)
{
        for (size_t i = 0; i < size; i++)
                bytes[offset + i] = (uint8_t)(value >> 8 * i);
}

enum file_field {
        E_MAGIC,
        E_CLASS,
        E_DATA,
        E_TYPE,
        E_MACHINE,
        E_ENTRY,
        E_PHOFF,
        E_PHENTSIZE,
        E_PHNUM
};
enum segment_field { P_TYPE, P_OFFSET, P_VADDR, P_FILESZ, P_MEMSZ, P_FLAGS };

/* Offset and size of each field that a loader uses, by class (System V ABI, "ELF Header", "Program
 * Header"). The others may hold anything. */
struct sample_field {
        uint8_t at32, size32, at64, size64;
};

static const struct sample_field file_fields[] = {
        [E_MAGIC] = {0, 4, 0, 4},   [E_CLASS] = {4, 1, 4, 1},       [E_DATA] = {5, 1, 5, 1},
        [E_TYPE] = {16, 2, 16, 2},  [E_MACHINE] = {18, 2, 18, 2},   [E_ENTRY] = {24, 4, 24, 8},
        [E_PHOFF] = {28, 4, 32, 8}, [E_PHENTSIZE] = {42, 2, 54, 2}, [E_PHNUM] = {44, 2, 56, 2}};

static const struct sample_field segment_fields[] = {
        [P_TYPE] = {0, 4, 0, 4},     [P_OFFSET] = {4, 4, 8, 8},  [P_VADDR] = {8, 4, 16, 8},
        [P_FILESZ] = {16, 4, 32, 8}, [P_MEMSZ] = {20, 4, 40, 8}, [P_FLAGS] = {24, 4, 4, 4}};

#define FILE_FIELDS (sizeof file_fields / sizeof *file_fields)
#define SEGMENT_FIELDS (sizeof segment_fields / sizeof *segment_fields)

static size_t file_header_size(unsigned bits)
{
        return bits == 64 ? 64 : 52;
}

static size_t segment_header_size(unsigned bits)
{
        return bits == 64 ? 56 : 32;
}

static void put_file_field(uint8_t *program, unsigned bits, size_t f, uint64_t value)
{
        put_field(program, bits == 64 ? file_fields[f].at64 : file_fields[f].at32,
                  bits == 64 ? file_fields[f].size64 : file_fields[f].size32, value);
}

/* Sets a field in segment header n. */
static void put_segment_field(uint8_t *program, unsigned bits, unsigned n, size_t f, uint64_t value)
{
        size_t header = file_header_size(bits) + n * segment_header_size(bits);
        put_field(program, header + (bits == 64 ? segment_fields[f].at64 : segment_fields[f].at32),
                  bits == 64 ? segment_fields[f].size64 : segment_fields[f].size32, value);
}

static void put_segment(uint8_t *program, unsigned bits, unsigned n, uint32_t type, uint64_t offset,
                        uint64_t address, uint64_t file_size, uint64_t memory_size, uint32_t flags)
{
        const uint64_t values[SEGMENT_FIELDS] = {type,      offset,      address,
                                                 file_size, memory_size, flags};
        for (size_t f = 0; f < SEGMENT_FIELDS; f++)
                put_segment_field(program, bits, n, f, values[f]);
}

/* A static program of three headers: text (with the headers in it), PT_GNU_STACK, data with a tail
 * of zeroes; the data ends where the file ends. Returns its size; PROGRAM_MOST is enough. */
#define PROGRAM_MOST 512
#define PROGRAM_TEXT 0x8048000
#define PROGRAM_DATA 0x804a000

static size_t make_program(uint8_t *program, unsigned bits)
{
        const uint64_t values[FILE_FIELDS] = {0x464c457f,
                                              bits / 32,
                                              1,
                                              2,
                                              bits == 64 ? 62 : 3,
                                              PROGRAM_TEXT + 0x100,
                                              file_header_size(bits),
                                              segment_header_size(bits),
                                              3};
        for (size_t i = 0; i < PROGRAM_MOST; i++)
                program[i] = 0x90;
        for (size_t f = 0; f < FILE_FIELDS; f++)
                put_file_field(program, bits, f, values[f]);
        put_segment(program, bits, 0, 1, 0, PROGRAM_TEXT, 0x140, 0x140, ELF_READ | ELF_EXECUTE);
        put_segment(program, bits, 1, 0x6474e551, 0, 0, 0, 0, ELF_READ | ELF_WRITE);
        put_segment(program, bits, 2, 1, 0x140, PROGRAM_DATA + 0x140, 0x20, 0x1000,
                    ELF_READ | ELF_WRITE);
        return 0x160;
}

/* Here a program's file is its bytes: the reader's source, and elf_read() with it. */
static bool read_bytes(const void *file, uint64_t offset, void *to, size_t size)
{
        memcpy(to, (const uint8_t *)file + (size_t)offset, size);
        return true;
}

static const char *read_elf(struct elf *elf, const uint8_t *bytes, size_t size)
{
        return elf_read(elf, read_bytes, bytes, size);
}

/* The properties that exec.c relies on, of a program that was accepted. */
static bool program_is_safe(const struct elf *elf, size_t size)
{
        bool headers_found = !elf->header_address;
        if ((elf->bits != 32 && elf->bits != 64) || !elf->headers || !elf->segment_count ||
            elf->segment_count > ELF_SEGMENTS || elf->header_size != segment_header_size(elf->bits))
                return false;
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *s = &elf->segments[i];
                if (!s->memory_size || s->file_size > s->memory_size || s->file_size > size ||
                    s->offset > size || s->file_size > size - s->offset ||
                    s->memory_size - 1 > UINT64_MAX - s->address ||
                    (s->flags & ELF_WRITE && s->flags & ELF_EXECUTE))
                        return false;
                if (elf->bits == 32 && (s->address | s->memory_size) >> 32)
                        return false;
                headers_found |= elf->header_address - s->address < s->file_size;
        }
        for (size_t i = 0; i < elf->note_count; i++)
                if (i >= ELF_NOTES || elf->notes[i].offset > size ||
                    elf->notes[i].size > size - elf->notes[i].offset)
                        return false;
        return headers_found;
}

struct program {
        const char *name;
        uint8_t *bytes;
        size_t size;
};

static const struct program *programs; /* the two made here, then the real ones */
static size_t program_count;

/* Reads, and checks the answer: true if it was accepted. */
static bool judge(const uint8_t *bytes, size_t size)
{
        struct elf elf;
        const char *wrong = read_elf(&elf, bytes, size);
        if (wrong)
                assert_sentence(wrong);
        else
                assert_true(program_is_safe(&elf, size));
        return !wrong;
}

static void real_programs(void **state)
{
        assert_true(program_count > 2);
        for (size_t i = 2; i < program_count; i++) {
                struct elf elf;
                const char *wrong = read_elf(&elf, programs[i].bytes, programs[i].size);
                if (wrong)
                        fail_msg("%s: %s", programs[i].name, wrong);
                assert_true(program_is_safe(&elf, programs[i].size));
                assert_true(elf.header_address);
        }
}

/* One field is wrong; the error message names it. */
static void sentences(void **state)
{
        static const struct {
                int segment; /* header, or -1: of the file */
                unsigned field;
                uint64_t value;
                const char *wrong;
        } cases[] = {{-1, E_MAGIC, 0x464c457e, "it is no ELF file"},
                     {-1, E_CLASS, 0, "its class or byte order is unknown"},
                     {-1, E_CLASS, 3, "its class or byte order is unknown"},
                     {-1, E_DATA, 2, "its class or byte order is unknown"},
                     {-1, E_TYPE, 1, "it is no executable (ET_EXEC or ET_DYN)"},
                     {-1, E_TYPE, 4, "it is no executable (ET_EXEC or ET_DYN)"},
                     {-1, E_MACHINE, 40, "it is for another machine"},
                     {-1, E_PHOFF, 0x161, "its program headers lie outside the file"},
                     {-1, E_PHOFF, UINT64_MAX, "its program headers lie outside the file"},
                     {-1, E_PHENTSIZE, 0, "its program headers have a strange size"},
                     {-1, E_PHENTSIZE, 57, "its program headers have a strange size"},
                     {-1, E_PHNUM, 0, "its program headers have a strange size"},
                     {-1, E_PHNUM, 10, "its program headers lie outside the file"},
                     {-1, E_PHNUM, 0xffff, "its program headers lie outside the file"},
                     {1, P_TYPE, 3, "it wants a dynamic linker"},
                     {2, P_OFFSET, 0x141, "a segment lies outside the file"},
                     {2, P_OFFSET, UINT64_MAX, "a segment lies outside the file"},
                     {2, P_FILESZ, 0x21, "a segment lies outside the file"},
                     {2, P_FILESZ, UINT64_MAX, "a segment lies outside the file"},
                     {2, P_MEMSZ, 0x1f, "a segment is larger in the file than in memory"},
                     {2, P_MEMSZ, 0, "a segment is larger in the file than in memory"},
                     {2, P_FLAGS, 7, "a segment is writable and executable"},
                     {2, P_FLAGS, 3, "a segment is writable and executable"}};
        for (unsigned bits = 32; bits <= 64; bits += 32)
                for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                        uint8_t bytes[PROGRAM_MOST];
                        struct elf elf;
                        size_t size = make_program(bytes, bits);
                        if (cases[i].segment < 0)
                                put_file_field(bytes, bits, cases[i].field, cases[i].value);
                        else
                                put_segment_field(bytes, bits, (unsigned)cases[i].segment,
                                                  cases[i].field, cases[i].value);
                        const char *wrong = read_elf(&elf, bytes, size);
                        assert_non_null(wrong);
                        assert_string_equal(wrong, cases[i].wrong);
                }
        struct elf elf;
        assert_string_equal(read_elf(&elf, NULL, 0), "it is no ELF file");
        uint8_t bytes[PROGRAM_MOST];
        make_program(bytes, 64);
        put_file_field(bytes, 64, E_CLASS, 1); /* a machine of the other class */
        assert_string_equal(read_elf(&elf, bytes, 0x160), "it is for another machine");
}

static void edges_of_memory(void **state)
{
        uint8_t bytes[PROGRAM_MOST];
        struct elf elf;
        size_t size = make_program(bytes, 64);
        put_segment_field(bytes, 64, 2, P_VADDR, UINT64_MAX - 0x1000);
        assert_null(read_elf(&elf, bytes, size)); /* exec.c refuses it: above the program's half */
        put_segment_field(bytes, 64, 2, P_VADDR, UINT64_MAX - 0xffe);
        assert_string_equal(read_elf(&elf, bytes, size),
                            "a segment wraps around the end of memory");
        /* The upper half of a 64-bit field counts. */
        make_program(bytes, 64);
        put_file_field(bytes, 64, E_ENTRY, 1ull << 32);
        assert_null(read_elf(&elf, bytes, size));
        assert_true(elf.entry == 1ull << 32);
        put_file_field(bytes, 64, E_PHOFF, (1ull << 32) + 64);
        assert_string_equal(read_elf(&elf, bytes, size),
                            "its program headers lie outside the file");
        make_program(bytes, 32);
        put_segment_field(bytes, 32, 2, P_VADDR, UINT32_MAX);
        assert_null(read_elf(&elf, bytes, size));
        assert_true(elf.segments[1].address + elf.segments[1].memory_size == 0x100000fff);
}

static void segment_count(void **state)
{
        for (unsigned bits = 32; bits <= 64; bits += 32) {
                uint8_t bytes[2048];
                struct elf elf;
                make_program(bytes, bits);
                for (unsigned n = 0; n < ELF_SEGMENTS + 2; n++)
                        put_segment(bytes, bits, n, 1, 0, PROGRAM_TEXT + n * 4096, 16, 16,
                                    ELF_READ);
                put_file_field(bytes, bits, E_PHNUM, ELF_SEGMENTS);
                assert_null(read_elf(&elf, bytes, sizeof bytes));
                assert_int_equal(elf.segment_count, ELF_SEGMENTS);
                put_file_field(bytes, bits, E_PHNUM, ELF_SEGMENTS + 1);
                assert_string_equal(read_elf(&elf, bytes, sizeof bytes),
                                    "it has more than 16 segments");
                /* Only a segment of no size, and only other headers. */
                put_file_field(bytes, bits, E_PHNUM, 1);
                put_segment(bytes, bits, 0, 1, 0, PROGRAM_TEXT, 0, 0, ELF_READ);
                assert_string_equal(read_elf(&elf, bytes, sizeof bytes), "it has nothing to load");
                put_segment(bytes, bits, 0, 4, 0, PROGRAM_TEXT, 16, 16, ELF_READ);
                assert_string_equal(read_elf(&elf, bytes, sizeof bytes), "it has nothing to load");
        }
}

/* The end of a real program's headers: the reader needs nothing after it. */
static size_t headers_end(const struct program *program)
{
        struct elf elf;
        read_elf(&elf, program->bytes, program->size);
        return file_header_size(elf.bits) + elf.headers * elf.header_size;
}

/* Every byte of the headers with every value; other bytes with one, which must change nothing. */
static void every_byte(void **state)
{
        for (size_t i = 0; i < program_count; i++) {
                const struct program *program = &programs[i];
                size_t headers = headers_end(program);
                for (size_t at = 0; at < program->size; at++) {
                        uint8_t kept = program->bytes[at];
                        for (unsigned change = 1; change < (at < headers ? 256 : 2); change++) {
                                program->bytes[at] = (uint8_t)(kept ^ change);
                                bool accepted = judge(program->bytes, program->size);
                                assert_true(accepted || at < headers);
                        }
                        program->bytes[at] = kept;
                }
        }
}

/* Every shorter file; the bytes after its end are poisoned one by one. */
static void every_length(void **state)
{
        for (size_t i = 0; i < program_count; i++) {
                const struct program *program = &programs[i];
                uint64_t loaded_end = 0;
                struct elf elf;
                assert_null(read_elf(&elf, program->bytes, program->size));
                for (size_t s = 0; s < elf.segment_count; s++)
                        if (elf.segments[s].offset + elf.segments[s].file_size > loaded_end)
                                loaded_end = elf.segments[s].offset + elf.segments[s].file_size;
                for (size_t size = program->size; size-- > 0;) {
                        ASAN_POISON_MEMORY_REGION(program->bytes + size, 8 - size % 8);
                        assert_int_equal(judge(program->bytes, size), size >= loaded_end);
                }
                ASAN_UNPOISON_MEMORY_REGION(program->bytes, program->size);
        }
}

/* One to eight changes at once, mostly in fields that the reader uses, often to an edge value. */
static void random_mutations(void **state)
{
        unsigned accepted = 0;
        for (unsigned i = 0; i < RANDOM_MUTATIONS; i++) {
                const struct program *program = &programs[chance_below(program_count)];
                size_t headers = headers_end(program), undo_at[8], changes = 1 + chance_below(8);
                uint8_t undo[8][8];
                for (size_t c = 0; c < changes; c++) {
                        size_t limit = chance() % 8 ? headers : program->size;
                        size_t at = undo_at[c] = chance_below(limit - 8) & ~(size_t)(chance() % 8);
                        memcpy(undo[c], program->bytes + at, 8);
                        uint64_t value = chance() % 4 ? chance() >> chance_below(64)
                                                      : program->size + 4 - chance_below(8);
                        value = chance() % 2 ? value : -value;
                        memcpy(program->bytes + at, &value, 1u << chance_below(4));
                }
                accepted += judge(program->bytes, program->size);
                while (changes--)
                        memcpy(program->bytes + undo_at[changes], undo[changes], 8);
        }
        /* If every input fails at the first field, the test covers one line only. */
        assert_in_range(accepted, RANDOM_MUTATIONS / 50, RANDOM_MUTATIONS / 2);
        for (size_t i = 0; i < program_count; i++)
                assert_true(judge(programs[i].bytes, programs[i].size));
}

int main(int count, char **arguments)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(real_programs),   cmocka_unit_test(sentences),
                cmocka_unit_test(edges_of_memory), cmocka_unit_test(segment_count),
                cmocka_unit_test(every_byte),      cmocka_unit_test(every_length),
                cmocka_unit_test(random_mutations)};
        static struct program all[32];
        uint8_t bytes[PROGRAM_MOST];
        size_t size;
        for (unsigned bits = 32; bits <= 64; bits += 32) {
                size = make_program(bytes, bits);
                all[program_count++] = (struct program){"", exact_copy(bytes, size), size};
        }
        for (int i = 1; i < count && program_count < sizeof all / sizeof *all; i++) {
                struct program *program = &all[program_count++];
                program->name = arguments[i];
                program->bytes = load_file(arguments[i], &program->size);
        }
        programs = all;
        int failed = cmocka_run_group_tests(tests, NULL, NULL);
        while (program_count)
                free(all[--program_count].bytes);
        return failed;
}
