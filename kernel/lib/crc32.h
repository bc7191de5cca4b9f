/* crc32.h - the checksum of a record: CRC-32 of IEEE 802.3, as zlib's crc32(). */
#ifndef TOLLGATE_LIB_CRC32_H
#define TOLLGATE_LIB_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32(const void *data, size_t count);

#endif
