/* file.c - open files. */
#include "file/file.h"
#include "file/node.h"
#include "mem/heap.h"

struct file *file_create(const struct file_kind *kind, struct node *node, unsigned flags)
{
        struct file *file = heap_allocate(sizeof *file);
        if (!file)
                return NULL;
        if (node)
                node_hold(node);
        *file = (struct file){.kind = kind, .users = 1, .flags = flags, .node = node};
        return file;
}

void file_close(struct file *file)
{
        if (file->kind->close)
                file->kind->close(file);
        node_release(file->node);
        heap_free(file);
}
