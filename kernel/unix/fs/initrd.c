/* initrd.c - reads a cpio archive (cpio(5), "New CRC Format"): a header of 110 characters, fields
 * of eight hexadecimal digits; the name; the data; name and data padded to four bytes. */
#include "fs/initrd.h"
#include "lib/string.h"
#include "uapi.h"

#define HEADER 110
#define FIELD_MODE 1
#define FIELD_FILE_SIZE 6
#define FIELD_NAME_SIZE 11
#define FIELD_CHECK 12
#define LAST "TRAILER!!!"

/* Field n of a header, or -1 if it is not a hexadecimal number. */
static int64_t initrd_field(const uint8_t *header, int n)
{
        int64_t value = 0;
        for (int i = 0; i < 8; i++) {
                uint8_t c = header[6 + 8 * n + i];
                int digit = c >= '0' && c <= '9'   ? c - '0'
                            : c >= 'a' && c <= 'f' ? c - 'a' + 10
                            : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                   : -1;
                if (digit < 0)
                        return -1;
                value = value << 4 | digit;
        }
        return value;
}

static size_t initrd_padded(size_t size)
{
        return (size + 3) & ~(size_t)3;
}

struct entry {
        struct initrd_file file;
        uint32_t check;
        size_t next; /* offset of the next header */
};

static const char *read_entry(const struct initrd *initrd, size_t at, struct entry *entry)
{
        if (at > initrd->size || initrd->size - at < HEADER)
                return "it ends before its last entry";
        const uint8_t *header = initrd->data + at;
        if (memcmp(header, "070702", 6))
                return "an entry is not in cpio's crc format (magic 070702)";
        int64_t mode = initrd_field(header, FIELD_MODE),
                size = initrd_field(header, FIELD_FILE_SIZE);
        int64_t name_size = initrd_field(header, FIELD_NAME_SIZE),
                check = initrd_field(header, FIELD_CHECK);
        if (mode < 0 || size < 0 || name_size < 1 || check < 0)
                return "an entry's header is damaged";

        uint64_t data_at = at + initrd_padded(HEADER + (size_t)name_size);
        if (name_size > 4096 || data_at > initrd->size || (uint64_t)size > initrd->size - data_at)
                return "an entry is longer than the archive";
        if (header[HEADER + name_size - 1])
                return "an entry's name does not end";
        entry->file.name = (const char *)header + HEADER;
        entry->file.data = initrd->data + data_at;
        entry->file.size = (size_t)size;
        entry->file.mode = (uint32_t)mode;
        entry->check = (uint32_t)check;
        entry->next = initrd_padded((size_t)data_at + (size_t)size);
        return NULL;
}

/* Bytes summed at a time, in lanes of 16 bits: 256 times 255 fits into a lane. */
#define BLOCK 256
#define ONES (UINTPTR_MAX / 0xffff) /* one in every lane */

struct block {
        uintptr_t word[BLOCK / sizeof(uintptr_t)];
} __attribute__((packed));

static uint32_t sum_of_block(const struct block *block)
{
        uintptr_t lanes = 0;
#pragma GCC unroll 32
        for (size_t i = 0; i < BLOCK / sizeof(uintptr_t); i++)
                lanes += (block->word[i] & ONES * 0xff) + (block->word[i] >> 8 & ONES * 0xff);
        return (uint32_t)(lanes * ONES >> (8 * sizeof lanes - 16));
}

/* The sum of all bytes. Word by word, because it is the longest loop of a boot. */
static uint32_t sum(const uint8_t *data, size_t size)
{
        uint32_t total = 0;
        for (; size >= BLOCK; size -= BLOCK, data += BLOCK)
                total += sum_of_block((const struct block *)data);
        while (size--)
                total += *data++;
        return total;
}

const char *initrd_compressed(const void *data, size_t size)
{
        if (size >= 6 && !memcmp(data, "\xfd\x37zXZ", 6))
                return "xz";
        return size >= 2 && !memcmp(data, "\x1f\x8b", 2) ? "gzip" : NULL;
}

const char *initrd_open(struct initrd *initrd, const void *data, size_t size)
{
        *initrd = (struct initrd){data, size};
        for (size_t at = 0;;) {
                struct entry entry;
                const char *wrong = read_entry(initrd, at, &entry);
                if (wrong)
                        return wrong;
                if (!strcmp(entry.file.name, LAST))
                        return NULL;
                if ((entry.file.mode & S_IFMT) == S_IFREG &&
                    sum(entry.file.data, entry.file.size) != entry.check)
                        return "a file's checksum is wrong";
                at = entry.next;
        }
}

bool initrd_next(const struct initrd *initrd, size_t *at, struct initrd_file *file)
{
        struct entry entry;
        if (read_entry(initrd, *at, &entry) || !strcmp(entry.file.name, LAST))
                return false;
        *file = entry.file;
        *at = entry.next;
        return true;
}
