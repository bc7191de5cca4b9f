/* volume_names.c - the names in ext2's directories: each block is filled with entries. */
#include "errno.h"
#include "fs/volume.h"
#include "lib/string.h"
#include "cpu/window.h"

#define HEAD 8 /* bytes of an entry before its name */

/* The entry at `at` in a block. Returns its length; 0 = damaged. */
static unsigned entry_at(const struct volume *v, const uint8_t *block, unsigned at,
                         struct volume_name *name)
{
        static const uint32_t types[] = {0,       S_IFREG, S_IFDIR,  S_IFCHR,
                                         S_IFBLK, S_IFIFO, S_IFSOCK, S_IFLNK};
        const uint8_t *entry = block + at;
        if (v->block - at < HEAD)
                return 0;
        unsigned length = entry[4] | (unsigned)entry[5] << 8, letters = entry[6];
        name->inode = volume_32(entry);
        name->length = letters;
        name->mode = v->typed && entry[7] < 8 ? types[entry[7]] : 0;
        bool longer = !v->typed && entry[7]; /* the name's length has 16 bits */
        if (length < HEAD + 4 || length % 4 || length > v->block - at || letters + HEAD > length ||
            longer || name->inode > v->inodes || (name->inode && !letters))
                return 0;
        return length;
}

/* Whether a path could contain this name. */
static bool is_name(const struct volume_name *name)
{
        return strlen(name->text) == name->length && !strchr(name->text, '/');
}

static bool is_dots(const uint8_t *text, unsigned length)
{
        return text[0] == '.' && (length == 1 || (length == 2 && text[1] == '.'));
}

static int read_block(struct volume *v, const struct inode *directory, uint64_t place,
                      uint8_t block[VOLUME_BLOCK])
{
        long size = volume_read(v, directory, place, block, v->block);
        return size < 0 ? (int)size : 0;
}

/* The block's first name from `place` on, or the first that equals `text` if that is not NULL.
 * -ENOENT: none. */
static int search_block(struct volume *v, const uint8_t *block, uint64_t start, uint64_t place,
                        const char *text, struct volume_name *name)
{
        size_t wanted = text ? strlen(text) : 0;
        for (unsigned at = 0, length; at < v->block; at += length) {
                length = entry_at(v, block, at, name);
                if (!length)
                        return volume_damaged(v, "a directory's entry is damaged");
                const uint8_t *letters = block + at + HEAD;
                if (start + at < place || !name->inode || is_dots(letters, name->length) ||
                    (text && (name->length != wanted || memcmp(letters, text, wanted))))
                        continue;
                memcpy(name->text, letters, name->length);
                name->text[name->length] = 0;
                name->place = start + at;
                name->next = start + at + length;
                return is_name(name)
                               ? 0
                               : volume_damaged(v, "a directory has a name that cannot be one");
        }
        return -ENOENT;
}

static int search(struct volume *v, const struct inode *directory, uint64_t place, const char *text,
                  uint8_t block[VOLUME_BLOCK], struct volume_name *name)
{
        for (uint64_t start = place & ~(uint64_t)(v->block - 1); start < directory->size;
             start += v->block) {
                if (!work_goes_on())
                        return -EINTR;
                int error = read_block(v, directory, start, block);
                if (!error)
                        error = search_block(v, block, start, place, text, name);
                if (error != -ENOENT)
                        return error;
        }
        return -ENOENT;
}

int volume_next(struct volume *v, const struct inode *directory, uint64_t place,
                uint8_t block[VOLUME_BLOCK], struct volume_name *name)
{
        return search(v, directory, place, NULL, block, name);
}

int volume_find(struct volume *v, const struct inode *directory, const char *text,
                uint8_t block[VOLUME_BLOCK], struct volume_name *name)
{
        return search(v, directory, 0, text, block, name);
}
