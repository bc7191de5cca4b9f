/* pipe.h - pipes that are opened by a name. */
#ifndef TOLLGATE_UNIX_FILE_PIPE_H
#define TOLLGATE_UNIX_FILE_PIPE_H

#include "node/node.h"

/* A node's open(): a FIFO's file waits until the other end is open, too. */
int fifo_open(struct file *file);
/* A node that a pipe's file can be opened by again, held; NULL: it is no pipe, or there is no room.
 */
struct node *pipe_node(const struct file *file);

#endif
