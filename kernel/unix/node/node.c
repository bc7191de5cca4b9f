/* node.c - nodes: references, paths and mounts. */
#include "node/node.h"
#include "clock/clock.h"
#include "cpu/window.h"
#include "cpu/work.h"
#include "errno.h"
#include "node/quota.h"
#include "lib/string.h"
#include "mem/heap.h"

struct node *node_root;

/* Nobody uses it any more. Returns its parent. */
static struct node *node_end(struct node *node)
{
        struct node *parent = node->parent;
        interrupt_window();
        node->kind->free(node);
        return parent;
}

/* When the turn is over, the rest is left for the way out of the kernel, where others run. */
static void node_end_chain(struct node *node)
{
        do {
                if (cpu_work & WORK_RESCHEDULE) {
                        struct node **late = node_late();
                        node->mounted = *late;
                        *late = node;
                        work_add(WORK_DEVICE);
                        return;
                }
                node = node_end(node);
        } while (node && !--node->users);
}

void node_release(struct node *node)
{
        if (node && !--node->users)
                node_end_chain(node);
}

void node_release_late(void)
{
        struct node *node, **late = node_late();
        while ((node = *late)) {
                *late = node->mounted;
                node_release(node_end(node));
                work_goes_on();
        }
}

bool node_mount(struct node *root, struct node *directory)
{
        root->name = quota_text(directory->name);
        root->parent = node_hold(directory->parent);
        directory->mounted = root;
        node_hold(directory);
        return root->name;
}

bool node_read(struct node *node, uint64_t offset, void *to, size_t size)
{
        uint8_t *at = to;
        while (size) {
                long part = node->kind->read ? node->kind->read(node, offset, at, size) : 0;
                if (part <= 0)
                        return false;
                at += part;
                offset += (size_t)part;
                size -= (size_t)part;
        }
        return true;
}

struct facts node_facts(struct node *node)
{
        struct facts facts = {.links = 1};
        if (node->kind->stat)
                node->kind->stat(node, &facts);
        return facts;
}

void node_stat_directory(struct node *node, struct facts *facts)
{
        facts->links = 2;
}

void node_free(struct node *node)
{
        quota_text_free(node->name);
        heap_free(node);
}

struct node_time node_now(void)
{
        uint64_t date = clock_date();
        return (struct node_time){moment_seconds(date), moment_parts(date, 1000000000)};
}

int node_refusal(const struct node *node)
{
        return node->kind->refuses ? node->kind->refuses : -EPERM;
}

/* Writes the path, even of a removed node. */
static int write_path(const struct node *node, char buffer[PATH_MAX])
{
        size_t at = PATH_MAX - 1;
        buffer[at] = 0;
        for (; node != node_root; node = node->parent) {
                size_t length = strlen(node->name);
                interrupt_window();
                if (length + 1 > at)
                        return -ENAMETOOLONG;
                at -= length;
                memcpy(buffer + at, node->name, length);
                buffer[--at] = '/';
        }
        if (!buffer[at])
                buffer[--at] = '/';
        interrupt_window();
        memmove(buffer, buffer + at, PATH_MAX - at);
        return 0;
}

/* A directory can be removed only when it is empty. So all parents of a node exist. */
int node_path(const struct node *node, char buffer[PATH_MAX])
{
        return node->gone ? -ENOENT : write_path(node, buffer);
}

int node_path_told(const struct node *node, char buffer[PATH_MAX])
{
        static const char gone[] = " (deleted)";
        int error = write_path(node, buffer);
        if (error || !node->gone)
                return error;
        size_t length = strlen(buffer);
        if (length + sizeof gone > PATH_MAX)
                return -ENAMETOOLONG;
        memcpy(buffer + length, gone, sizeof gone);
        return 0;
}
