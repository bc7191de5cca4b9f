/* dev.h - the file system /dev. */
#ifndef TOLLGATE_UNIX_FS_DEV_H
#define TOLLGATE_UNIX_FS_DEV_H

#include "node/node.h"

struct node *dev_root(uint32_t device); /* NULL = no room */

#endif
