/* pts.h - the file system of the slaves of pseudo-terminals, for /dev/pts. */
#ifndef TOLLGATE_FS_PTS_H
#define TOLLGATE_FS_PTS_H

#include "file/node.h"

struct node *pts_root(uint32_t device); /* NULL = no room */

#endif
