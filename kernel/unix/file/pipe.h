/* pipe.h - pipes with names. */
#pragma once
#include "node/node.h"

/* A node's open(): a FIFO's file waits until the other end is open, too. */
int fifo_open(struct file *file);
/* A node by which a pipe's file can be opened again, held; NULL: not a pipe, or no room. */
struct node *pipe_node(const struct file *file);
