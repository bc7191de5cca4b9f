/* crc32.h - the checksum of a record: CRC-32 of IEEE 802.3, as zlib's crc32(). */
#pragma once
#include <stddef.h>
#include <stdint.h>

uint32_t crc32(const void *data, size_t count);
