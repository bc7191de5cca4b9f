/* ata.h - the disks at the two IDE ports, up to two at each, read by programmed I/O (ATA/ATAPI-6,
 * "PIO data-in command protocol"). It has no write commands. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define ATA_PORTS 2
#define ATA_DRIVES (2 * ATA_PORTS) /* drive 2n and 2n + 1 are at port n */
#define ATA_SECTOR 512             /* bytes */

/* A drive found at boot. */
struct ata_drive {
        uint64_t sectors;    /* 0 = no readable disk */
        const char *missing; /* why not; NULL = nothing to report */
        char model[41];
        unsigned together; /* sectors per interrupt */
};
extern struct ata_drive ata_drives[ATA_DRIVES];

void ata_init(void); /* detects the drives */

/* Requests 1 to 256 sectors that exist, to kernel memory. A port handles one request at a time.
 * False = the drive refused the command. */
bool ata_read(unsigned drive, uint64_t sector, unsigned count, void *to);

enum ata_answer { ATA_WAITS, ATA_DONE, ATA_FAILED };
/* The current result of the read: bytes arrive in interrupts, which set WORK_DEVICE at the end. */
enum ata_answer ata_answer(unsigned port);
/* The same without interrupts: polls the port and handles it like one. */
enum ata_answer ata_look(unsigned port);
/* The status and error registers after the last command. */
void ata_registers(unsigned port, uint8_t *status, uint8_t *error);
void ata_forget(unsigned port); /* cancels any request: nothing is written to memory any more */
