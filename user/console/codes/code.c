/* code.c - QR codes of packed records, by nayuki's generator. */
#include "code.h"
#include "lib/crc32.h"
#include "lib/string.h"
#include "pack.h"
#include "qrcodegen.h"

#define HEAD 11 /* format, version of the table, run, index, count */
#define TAIL 4  /* CRC-32 of everything before it */
#define PREFIX "TOLLGATE:"
#define TEXT_MOST 4296 /* characters in the largest code */

int getNumDataCodewords(int version, enum qrcodegen_Ecc ecl); /* internal to the generator */

static uint8_t code[qrcodegen_BUFFER_LEN_MAX];

/* Bytes of packed records that fit into a code of this version. */
static size_t room(int version)
{
        int bits = getNumDataCodewords(version, qrcodegen_Ecc_LOW) * 8 - 4 -
                   (version < 10   ? 9
                    : version < 27 ? 11
                                   : 13);
        int characters = bits / 11 * 2 + (bits % 11 >= 6) - (int)(sizeof PREFIX - 1);
        int bytes = characters / 3 * 2 - HEAD - TAIL;
        return bytes > 0 ? (size_t)bytes : 0;
}

static size_t most_of(size_t length, size_t count)
{
        return (length + count - 1) / count;
}

bool codes_plan(struct codes *codes, const uint8_t *bytes, size_t length, unsigned side)
{
        int version = qrcodegen_VERSION_MAX;
        while (version && 17 + 4 * (unsigned)version + 2 * CODE_QUIET > side)
                version--;
        if (!version || !room(version) || most_of(length, room(version)) > CODES_MOST)
                return false;
        size_t count = most_of(length, room(version));
        while (version > 1 && room(version - 1) >= most_of(length, count))
                version--;
        *codes = (struct codes){bytes,           length,  crc32(bytes, length),
                                (unsigned)count, version, CODES_WHOLE};
        return true;
}

static uint8_t *put_word(uint8_t *to, uint32_t word)
{
        for (int shift = 24; shift >= 0; shift -= 8)
                *to++ = (uint8_t)(word >> shift);
        return to;
}

/* Two bytes become three characters, a last odd one two: lowest digit of 45 first (RFC 9285). */
static void put_text(char *to, const uint8_t *from, size_t count)
{
        static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
        for (size_t i = 0; i < count; i += 2) {
                bool two = i + 1 < count;
                unsigned value = two ? from[i] * 256u + from[i + 1] : from[i];
                for (unsigned n = two ? 3 : 2; n; n--, value /= 45)
                        *to++ = digits[value % 45];
        }
        *to = 0;
}

bool code_make(const struct codes *codes, unsigned index)
{
        static uint8_t whole[TEXT_MOST], segment[TEXT_MOST], work[qrcodegen_BUFFER_LEN_MAX];
        static char text[TEXT_MOST + 4] = PREFIX;
        size_t start = codes->length * index / codes->count;
        size_t end = codes->length * (index + 1) / codes->count;
        uint8_t *at = whole;
        *at++ = codes->format;
        at = put_word(at, pack_table_version);
        at = put_word(at, codes->run);
        *at++ = (uint8_t)(index + 1);
        *at++ = (uint8_t)codes->count;
        memcpy(at, codes->bytes + start, end - start);
        at += end - start;
        at = put_word(at, crc32(whole, (size_t)(at - whole)));
        put_text(text + sizeof PREFIX - 1, whole, (size_t)(at - whole));
        struct qrcodegen_Segment one = qrcodegen_makeAlphanumeric(text, segment);
        return qrcodegen_encodeSegmentsAdvanced(&one, 1, qrcodegen_Ecc_LOW, codes->version,
                                                codes->version, qrcodegen_Mask_0, true, work, code);
}

unsigned code_size(void)
{
        return (unsigned)qrcodegen_getSize(code);
}

bool code_dark(unsigned x, unsigned y)
{
        return qrcodegen_getModule(code, (int)x, (int)y);
}
