/* pts.h - the file system /dev/pts: the slaves of pseudo-terminals. */
#pragma once
#include "node/node.h"

struct node *pts_root(uint32_t device); /* NULL = no room */
