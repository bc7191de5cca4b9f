/* stat.h - Linux's struct stat64 (arch/x86/include/uapi/asm/stat.h), i386 */
#pragma once
#include <stdint.h>

struct stat {
        uint64_t device;
        uint32_t reserved1, inode32;
        uint32_t mode, links;
        uint32_t user, group;
        uint64_t special;
        uint32_t reserved2;
        int64_t size;
        uint32_t block_size;
        uint64_t blocks;
        uint32_t accessed, accessed_ns, modified, modified_ns, changed, changed_ns;
        uint64_t inode;
} __attribute__((packed));
_Static_assert(sizeof(struct stat) == 96, "stat64");
