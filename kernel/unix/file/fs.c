/* fs.c - the current directory and the umask. */
#include "file/fs.h"
#include "node/node.h"
#include "mem/heap.h"

struct fs *fs_create(void)
{
        struct fs *fs = heap_allocate(sizeof *fs);
        if (fs)
                *fs = (struct fs){.users = 1, .umask = 022};
        return fs;
}

struct fs *fs_copy(const struct fs *from)
{
        struct fs *fs = heap_allocate(sizeof *fs);
        if (!fs)
                return NULL;
        *fs = *from;
        fs->users = 1;
        if (fs->directory)
                node_hold(fs->directory);
        return fs;
}

void fs_release(struct fs *fs)
{
        if (!fs || --fs->users)
                return;
        node_release(fs->directory);
        heap_free(fs);
}
