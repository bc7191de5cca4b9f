/* pts.h - the file system /dev/pts: the slaves of pseudo-terminals. */
#ifndef TOLLGATE_UNIX_FS_PTS_H
#define TOLLGATE_UNIX_FS_PTS_H

#include "node/node.h"

struct node *pts_root(uint32_t device); /* NULL = no room */

#endif
