/*
 * ata.h - the disks at the two IDE ports, up to two at each, read by programmed I/O (ATA/ATAPI-6,
 * "PIO data-in command protocol"). No command that writes is in it.
 */
#ifndef TOLLGATE_DEV_ATA_H
#define TOLLGATE_DEV_ATA_H

#include <stdbool.h>
#include <stdint.h>

#define ATA_PORTS 2
#define ATA_DRIVES (2 * ATA_PORTS) /* drive 2n and 2n + 1 are at port n */
#define ATA_SECTOR 512             /* bytes */

/* A drive that the boot has found. */
struct ata_drive {
        uint64_t sectors;    /* 0 = no disk that can be read */
        const char *missing; /* why; NULL = there is nothing to be said */
        char model[41];
        unsigned together; /* sectors that it gives at a time */
};
extern struct ata_drive ata_drives[ATA_DRIVES];

void ata_init(void); /* looks which drives are there */

/* Asks for 1 to 256 sectors that the drive has, to the kernel's memory. A port is asked for one
 * thing at a time. False = it does not take the command. */
bool ata_read(unsigned drive, uint64_t sector, unsigned count, void *to);

enum ata_answer {
        ATA_WAITS,
        ATA_DONE,
        ATA_FAILED
};
/* The result of the read so far: bytes come in interrupts, which set WORK_DEVICE at the end. */
enum ata_answer ata_answer(unsigned port);
/* The same where no interrupt may come: looks at the port, as one would. */
enum ata_answer ata_look(unsigned port);
/* The status and error registers as the last command left them. */
void ata_registers(unsigned port, uint8_t *status, uint8_t *error);
void ata_forget(unsigned port); /* whatever was asked for: nothing is written to memory any more */

#endif
