/* crc32.c - the checksum of a record (kernel/lib/crc32.h). The vectors are zlib.crc32()'s. */
#include "unit.h"
#include "lib/crc32.h"

static void known_vectors(void **state)
{
        (void)state;
        unsigned char bytes[256], same[32];
        for (unsigned i = 0; i < sizeof bytes; i++)
                bytes[i] = (unsigned char)i;
        assert_int_equal(crc32("", 0), 0);
        assert_int_equal(crc32(NULL, 0), 0);
        assert_int_equal(crc32("a", 1), 0xe8b7be43);
        assert_int_equal(crc32("123456789", 9), 0xcbf43926);
        assert_int_equal(crc32("The quick brown fox jumps over the lazy dog", 43), 0x414fa339);
        assert_int_equal(crc32(bytes, sizeof bytes), 0x29058c73);
        assert_int_equal(crc32(memset(same, 0, sizeof same), sizeof same), 0x190a55ad);
        assert_int_equal(crc32(memset(same, 0xff, sizeof same), sizeof same), 0xff6cab0b);
}

/* What makes it worth its eight characters: no single bit and no swap of neighbours passes. */
static void sees_damage(void **state)
{
        (void)state;
        char line[] = "{\"v\":1,\"type\":\"check\",\"name\":\"x\",\"ok\":true,\"detail\":\"\"}";
        size_t length = strlen(line);
        uint32_t whole = crc32(line, length);
        for (size_t bit = 0; bit < 8 * length; bit++) {
                line[bit / 8] = (char)(line[bit / 8] ^ 1 << bit % 8);
                assert_int_not_equal(crc32(line, length), whole);
                line[bit / 8] = (char)(line[bit / 8] ^ 1 << bit % 8);
        }
        for (size_t i = 1; i < length; i++) {
                char kept = line[i];
                if (line[i - 1] == kept)
                        continue;
                line[i] = line[i - 1];
                line[i - 1] = kept;
                assert_int_not_equal(crc32(line, length), whole);
                line[i - 1] = line[i];
                line[i] = kept;
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(known_vectors),
                cmocka_unit_test(sees_damage),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
