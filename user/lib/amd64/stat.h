/* stat.h - Linux's struct stat (arch/x86/include/uapi/asm/stat.h), amd64 */
#pragma once
#include <stdint.h>

struct stat {
        uint64_t device, inode, links;
        uint32_t mode, user, group, reserved1;
        uint64_t special;
        int64_t size, block_size, blocks;
        uint64_t accessed, accessed_ns, modified, modified_ns, changed, changed_ns;
        int64_t reserved2[3];
};
_Static_assert(sizeof(struct stat) == 144, "stat");
