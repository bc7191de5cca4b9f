/* dev.h - the file system of devices. */
#ifndef TOLLGATE_FS_DEV_H
#define TOLLGATE_FS_DEV_H

#include "file/node.h"

struct node *dev_root(uint32_t device); /* NULL = no room */

#endif
