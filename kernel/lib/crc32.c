/* crc32.c - bit by bit, because a record is only a few hundred bytes. */
#include "lib/crc32.h"

uint32_t crc32(const void *data, size_t count)
{
        const unsigned char *byte = data;
        uint32_t crc = ~0u;
        while (count--) {
                crc ^= *byte++;
                for (int bit = 0; bit < 8; bit++)
                        crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
        return ~crc;
}
