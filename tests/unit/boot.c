/*
 * boot.c - what the loader tells (boot/multiboot.c): of a screen its kind;
 * and what is wrong with it is said on some screen.
 */
#include "unit.h"
#include "const.h"
#include "arch.h"
#undef KERNEL_BASE
#define KERNEL_BASE ((uintptr_t)memory)

static uint8_t memory[8 * 4096] __attribute__((aligned(8)));
#include "../../boot/multiboot.c"

#define AT_INFORMATION 4096

static size_t end;

static void begin(void)
{
        memset(memory, 0, sizeof memory);
        end = AT_INFORMATION + 8;
}

static void tag(uint32_t type, const void *content, uint32_t size)
{
        memcpy(memory + end, &type, 4);
        memcpy(memory + end + 4, &(uint32_t){size + 8}, 4);
        memcpy(memory + end + 8, content, size);
        end += (size + 8 + 7) & ~7u;
}

static const char *reads(struct boot_info *boot)
{
        tag(TAG_END, "", 0);
        memcpy(memory + AT_INFORMATION, &(uint32_t){(uint32_t)(end - AT_INFORMATION)}, 4);
        return boot_read(boot, MULTIBOOT2_MAGIC, AT_INFORMATION);
}

static void tag_screen(uint8_t bits, uint8_t type)
{
        uint8_t content[30] = {0, 0, 0, 0x80, 0, 0, 0, 0, 0, 10};
        content[12] = 0x80; /* 640 by 480 */
        content[13] = 2;
        content[16] = 0xe0;
        content[17] = 1;
        content[20] = bits;
        content[21] = type;
        tag(TAG_SCREEN, content, sizeof content);
}

static void screens(void **state)
{
        static const struct {
                uint8_t bits, type;
                enum boot_screen_kind kind;
        } all[] = {
                {32, 1, SCREEN_PIXELS}, {15, 1, SCREEN_PIXELS}, {8, 0, SCREEN_OTHER},
                {8, 1, SCREEN_OTHER},   {64, 1, SCREEN_OTHER},  {16, 2, SCREEN_TEXT},
                {32, 3, SCREEN_OTHER},
        };
        static struct boot_info boot;
        (void)state;
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
                begin();
                tag_screen(all[i].bits, all[i].type);
                assert_null(reads(&boot));
                assert_int_equal(boot.screen.kind, all[i].kind);
                assert_int_equal(boot.screen.width, 640);
                assert_int_equal(boot.screen.height, 480);
                assert_int_equal(boot.screen.address, 0x80000000);
        }
        begin();
        assert_null(reads(&boot));
        assert_int_equal(boot.screen.kind, SCREEN_NONE);
}

/* A loader that cannot be read has named no screen; the usual one is there most often. */
static void what_is_wrong_is_said_somewhere(void **state)
{
        static struct boot_info boot;
        (void)state;
        begin();
        assert_sentence(boot_read(&boot, 0x12345678, AT_INFORMATION));
        assert_int_equal(boot.screen.kind, SCREEN_TEXT);
        assert_int_equal(boot.screen.address, 0xb8000);
        begin();
        tag_screen(32, 1);
        memcpy(memory + end + 4, &(uint32_t){3}, 4);
        end += 8;
        assert_sentence(reads(&boot));
        assert_int_equal(boot.screen.kind, SCREEN_PIXELS);
        assert_sentence(boot_read(&boot, MULTIBOOT2_MAGIC, 0xfffffff0));
        assert_int_equal(boot.screen.kind, SCREEN_TEXT);
}

/* The words begin behind the kernel's path, if there is one. */
static void the_path_is_no_word(void **state)
{
        (void)state;
        assert_string_equal(skip_name("suite=toll"), "suite=toll");
        assert_string_equal(skip_name("suite=a.elf samples=1"), "suite=a.elf samples=1");
        assert_string_equal(skip_name("/a/kernel.elf suite=a.elf"), "suite=a.elf");
        assert_string_equal(skip_name("/a b/c=d/kernel.elf suite=a"), "suite=a");
        assert_string_equal(skip_name("/my.elf s/kernel.elfs.elf"), "s/kernel.elfs.elf");
        assert_string_equal(skip_name("a b/kernel32.elf"), "");
        assert_string_equal(skip_name(""), "");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(screens),
                cmocka_unit_test(what_is_wrong_is_said_somewhere),
                cmocka_unit_test(the_path_is_no_word),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
