/* dev.h - the file system /dev. */
#pragma once
#include "node/node.h"

struct node *dev_root(uint32_t device); /* NULL = no room */
