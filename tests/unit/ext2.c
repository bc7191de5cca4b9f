/* ext2.c - the reader of ext2 (kernel/unix/fs/volume.h): for every disk it answers with names and
 * bytes or with an error message, in a number of steps that the disk's size limits. Arguments: real
 * images of the files that tools/disk.sh makes, to read and to damage. */
#include "unit.h"
#include "cpu/window.h"
#include "errno.h"
#include "fs/volume.h"

#define MUTATIONS 500
#define INODES_MOST 400 /* visited in one walk */
#define NAMES_MOST 300  /* names of one directory */

struct image {
        uint8_t *bytes;
        size_t size;
};

static struct image images[8];
static size_t image_count;
static unsigned long reads; /* reads of the disk, in one walk */

bool work_goes_on(void)
{
        return true;
}

static bool source(const void *disk, uint64_t offset, void *to, size_t size)
{
        const struct image *image = disk;
        reads++;
        assert_true(size <= VOLUME_BLOCK);
        if (offset > image->size || size > image->size - offset)
                return false;
        memcpy(to, image->bytes + offset, size);
        return true;
}

static bool open_image(struct volume *v, const struct image *image)
{
        char reason[VOLUME_REASON];
        memset(reason, 'x', sizeof reason);
        bool good = volume_open(v, source, image, image->size, reason);
        if (!good) {
                assert_non_null(memchr(reason, 0, sizeof reason));
                assert_sentence(reason);
        }
        return good;
}

/* An answer is a number of bytes, or an error with its message. */
static bool is_good(struct volume *v, long answer)
{
        if (answer == -EUCLEAN || answer == -EIO) {
                assert_sentence(v->wrong);
                v->wrong = NULL;
        } else {
                assert_true(answer >= 0 || answer == -ENOENT);
        }
        return answer >= 0;
}

static void read_file(struct volume *v, const struct inode *inode)
{
        const uint64_t places[] = {
                0,           1,          5000,          20000,           400000,
                80000000,    1ull << 32, 5000000000ull, inode->size / 2, inode->size - 1,
                inode->size, UINT64_MAX};
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
                size_t room = 1 + chance_below(VOLUME_BLOCK);
                uint8_t *to = malloc(room);
                long size = volume_read(v, inode, places[i], to, room);
                assert_true(size <= (long)room);
                assert_true(is_good(v, size) || size < 0);
                free(to);
        }
}

static void read_link(struct volume *v, const struct inode *inode)
{
        char *text = malloc(PATH_MAX);
        if (is_good(v, volume_link(v, inode, text)))
                assert_true(strlen(text) == inode->size);
        free(text);
}

/* Adds the inodes of its entries to `queue`. */
static void read_directory(struct volume *v, const struct inode *inode, uint32_t *queue,
                           size_t *end)
{
        struct volume_name name, found;
        uint8_t *block = malloc(VOLUME_BLOCK);
        uint64_t place = 0;
        for (int i = 0; i < NAMES_MOST; i++) {
                if (!is_good(v, volume_next(v, inode, place, block, &name)))
                        break;
                assert_true(name.next > place && name.place >= place);
                assert_true(name.length && strlen(name.text) == name.length);
                assert_null(strchr(name.text, '/'));
                assert_true(strcmp(name.text, ".") && strcmp(name.text, ".."));
                assert_true(is_good(v, volume_find(v, inode, name.text, block, &found)));
                assert_string_equal(found.text, name.text);
                if (*end < INODES_MOST)
                        queue[(*end)++] = name.inode;
                place = name.next;
        }
        is_good(v, volume_find(v, inode, "nobody has this name", block, &found));
        is_good(v, volume_next(v, inode, chance(), block, &found));
        free(block);
}

/* Reads all files: true if it could be mounted. */
static bool walk(const struct image *image)
{
        struct volume v;
        uint32_t queue[INODES_MOST] = {VOLUME_ROOT};
        size_t end = 1;
        reads = 0;
        if (!open_image(&v, image))
                return false;
        for (size_t i = 0; i < end; i++) {
                struct inode inode;
                if (!is_good(&v, volume_inode(&v, queue[i], &inode)))
                        continue;
                switch (inode.mode & S_IFMT) {
                case S_IFDIR: read_directory(&v, &inode, queue, &end); break;
                case S_IFLNK: read_link(&v, &inode); break;
                default: read_file(&v, &inode);
                }
        }
        assert_true(reads < 4000000);
        return true;
}

/* The inode at a path, in the root or a directory of it. */
static struct inode inode_at(struct volume *v, const char *first, const char *second)
{
        uint8_t block[VOLUME_BLOCK];
        struct volume_name name;
        struct inode inode;
        assert_int_equal(volume_inode(v, VOLUME_ROOT, &inode), 0);
        assert_int_equal(volume_find(v, &inode, first, block, &name), 0);
        assert_int_equal(volume_inode(v, name.inode, &inode), 0);
        if (second) {
                assert_int_equal(volume_find(v, &inode, second, block, &name), 0);
                assert_int_equal(volume_inode(v, name.inode, &inode), 0);
        }
        assert_true(name.mode == (v->typed ? inode.mode & S_IFMT : 0));
        return inode;
}

static void real_images(void **state)
{
        static const uint64_t places[] = {0, 20000, 400000, 80000000, 5000000000};
        assert_true(image_count > 0);
        for (size_t i = 0; i < image_count; i++) {
                struct volume v;
                char text[PATH_MAX], line[17];
                assert_true(open_image(&v, &images[i]));
                struct inode inode = inode_at(&v, "numbers", NULL);
                assert_true(inode.size == 307200);
                for (unsigned n = 0; n < 38400; n++) {
                        assert_int_equal(volume_read(&v, &inode, 8 * n, text, 8), 8);
                        snprintf(line, sizeof line, "%07u\n", n);
                        assert_memory_equal(text, line, 8);
                }
                assert_int_equal(volume_read(&v, &inode, 307200, text, 8), 0);
                inode = inode_at(&v, "holes", NULL);
                assert_true(inode.size == 5000000016);
                for (size_t p = 0; p < 5; p++) {
                        assert_int_equal(volume_read(&v, &inode, places[p], text, 16), 16);
                        snprintf(line, sizeof line, "%016llu", (unsigned long long)places[p]);
                        assert_memory_equal(text, line, 16);
                }
                assert_int_equal(volume_read(&v, &inode, 100000, text, 16), 16);
                assert_true(!text[0] && !text[15]);
                inode.size = UINT64_MAX;
                assert_int_equal(volume_read(&v, &inode, 1ull << 60, text, 16), -EUCLEAN);
                inode = inode_at(&v, "link", NULL);
                assert_int_equal(volume_link(&v, &inode, text), 0);
                assert_string_equal(text, "LICENSE");
                inode = inode_at(&v, "far", NULL);
                assert_int_equal(volume_link(&v, &inode, text), 0);
                assert_int_equal(strlen(text), 82);
                inode = inode_at(&v, "names", "a-name-of-some-length-59");
                assert_true(!inode.size && (inode.mode & S_IFMT) == S_IFREG);
                assert_true(walk(&images[i]));
        }
}

static void put(const struct image *image, size_t at, uint32_t value)
{
        memcpy(image->bytes + at, &value, 4);
}

/* One field of the superblock is wrong; the error message names it. */
static void sentences(void **state)
{
        static const struct {
                size_t at;
                uint32_t value;
                const char *wrong;
        } cases[] = {{56, 0x1ef54, "it has no ext2 superblock"},
                     {96, 0x42, "it has the feature extent, which is not here"},
                     {96, 0x82, "it has the feature 64bit, which is not here"},
                     {96, 0x6, "it has the feature needs_recovery, which is not here"},
                     {96, 0x2 | 1u << 31, "it has features that nobody knows here: 80000000h"},
                     {76, 2, "its revision 2 is not known here"},
                     {24, 3, "its blocks are larger than 4096 bytes"},
                     {24, UINT32_MAX, "its blocks are larger than 4096 bytes"},
                     {20, 7, "its first block is damaged"},
                     {4, 0, "it is longer than its disk"},
                     {4, UINT32_MAX, "it is longer than its disk"},
                     {32, 0, "its groups have no size that could be"},
                     {40, 0, "its groups have no number of inodes that could be"},
                     {88, 100, "its inodes have no size that could be"},
                     {0, UINT32_MAX, "it has more inodes than its groups"},
                     {0, 1, "it has more inodes than its groups"}};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                struct volume v;
                char reason[VOLUME_REASON];
                uint32_t was;
                memcpy(&was, images[0].bytes + 1024 + cases[i].at, 4);
                put(&images[0], 1024 + cases[i].at, cases[i].value);
                assert_false(volume_open(&v, source, &images[0], images[0].size, reason));
                assert_string_equal(reason, cases[i].wrong);
                put(&images[0], 1024 + cases[i].at, was);
        }
}

/* A disk that ends at each sector. */
static void every_length(void **state)
{
        for (size_t size = 0; size < 40 * 512; size += 512) {
                struct image cut = {images[0].bytes, size};
                assert_false(walk(&cut));
        }
}

/* Places that the reader is likely to use: superblock, groups, inodes, directories, tables. */
static size_t place_of_change(const struct image *image)
{
        switch (chance() % 8) {
        case 0: return 1024 + chance_below(104);
        case 1: return 2048 + chance_below(64);
        case 2: return 4096 + chance_below(64);
        case 3:
        case 4:
        case 5: return 5000 + chance_below(30000);
        default: return chance_below(image->size < 120000 ? image->size - 8 : 120000);
        }
}

static void random_mutations(void **state)
{
        unsigned mounted = 0;
        for (unsigned i = 0; i < MUTATIONS; i++) {
                const struct image *image = &images[chance_below(image_count)];
                size_t undo_at[16], changes = 1 + chance_below(16);
                uint8_t undo[16][4];
                for (size_t c = 0; c < changes; c++) {
                        size_t at = undo_at[c] = place_of_change(image) & ~(size_t)(chance() % 4);
                        memcpy(undo[c], image->bytes + at, 4);
                        uint32_t value = (uint32_t)(chance() >> chance_below(64));
                        memcpy(image->bytes + at, &value, 1u << chance_below(3));
                }
                mounted += walk(image);
                while (changes--)
                        memcpy(image->bytes + undo_at[changes], undo[changes], 4);
        }
        /* An image that is never mounted tests the superblock alone. */
        assert_in_range(mounted, MUTATIONS / 4, MUTATIONS);
        for (size_t i = 0; i < image_count; i++)
                assert_true(walk(&images[i]));
}

int main(int count, char **arguments)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(real_images), cmocka_unit_test(sentences),
                cmocka_unit_test(every_length), cmocka_unit_test(random_mutations)};
        for (int i = 1; i < count && image_count < sizeof images / sizeof *images; i++) {
                struct image *image = &images[image_count++];
                image->bytes = load_file(arguments[i], &image->size);
        }
        int failed = cmocka_run_group_tests(tests, NULL, NULL);
        while (image_count)
                free(images[--image_count].bytes);
        return failed;
}
