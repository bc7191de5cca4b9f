/* blocks.c - cached disk blocks of a page each, replaced in least recently used order. Requests to
 * the two disks of a port are answered one after the other.
 *
 * A thread sleeps until the port answers. The port is polled where no thread can sleep (at boot,
 * before the first program), where no interrupt arrives (a quiet machine), and after a timeout. An
 * emulator that counts instructions lets the clock run ahead of its disk while no thread runs, so
 * only the number of polls decides when a port is given up. */
#include "file/blocks.h"
#include <stdbool.h>
#include "clock/clock.h"
#include "cpu/current.h"
#include "cpu/window.h"
#include "dev/ata.h"
#include "machine/console.h"
#include "errno.h"
#include "lib/string.h"
#include "mem/heap.h"
#include "thread/schedule.h"

#define BLOCK PAGE_SIZE
#define SECTORS (BLOCK / ATA_SECTOR)
#define BLOCKS 64
#define ASLEEP (5ull << 32) /* 5 s before a port is polled */
#define LOOKS 1000000
#define SAID_MOST 16 /* messages about unreadable blocks */

enum state { BLOCK_EMPTY, BLOCK_ASKED, BLOCK_HERE, BLOCK_FAILED };

static struct block {
        unsigned disk;
        uint64_t number; /* block's number on its disk */
        enum state state;
        unsigned readers;   /* threads that wait for it or copy it */
        uint64_t used;      /* when: lookups */
        struct block *next; /* the next request */
        uint8_t *bytes;
} blocks[BLOCKS];

/* The requests of a port. The drive has received the first. */
static struct queue {
        struct block *first, **end;
        uint64_t asleep; /* until when */
        unsigned looks;
} queues[ATA_PORTS];

static bool lost[DISKS];
static uint64_t lookups;
static unsigned said;
static struct waiters answered;

const char *disk_name(unsigned disk)
{
        static const char *const names[DISKS] = {"hda", "hdb", "hdc", "hdd"};
        return names[disk];
}

const char *disk_model(unsigned disk)
{
        return ata_drives[disk].model;
}

uint64_t disk_size(unsigned disk)
{
        return disk < DISKS ? ata_drives[disk].sectors * ATA_SECTOR : 0;
}

void blocks_init(void)
{
        bool any = false;
        for (unsigned i = 0; i < DISKS; i++) {
                const struct ata_drive *drive = &ata_drives[i];
                if (drive->missing)
                        say("%s: %s.\n", disk_name(i), drive->missing);
                any |= drive->sectors != 0;
        }
        for (unsigned i = 0; any && i < BLOCKS; i++)
                blocks[i].bytes = heap_allocate(BLOCK);
}

static struct queue *queue_of(const struct block *block)
{
        return &queues[block->disk / 2];
}

/* The waiting threads check it. */
static struct block *blocks_take(struct queue *queue, enum state state)
{
        struct block *block = queue->first;
        queue->first = block->next;
        block->state = state;
        return block;
}

/* The disk does not answer, and so the port's other disk is unreachable, too. */
static void give_up(struct queue *queue)
{
        unsigned port = (unsigned)(queue - queues);
        ata_forget(port);
        for (unsigned disk = 2 * port; disk < 2 * port + 2; disk++) {
                if (disk_size(disk) && !lost[disk])
                        say("%s: it does not answer; it is not asked any more.\n", disk_name(disk));
                lost[disk] = true;
        }
        while (queue->first)
                blocks_take(queue, BLOCK_FAILED);
}

static void start_next(struct queue *queue)
{
        const struct block *block = queue->first;
        if (!block)
                return;
        uint64_t sector = block->number * SECTORS;
        uint64_t left = ata_drives[block->disk].sectors - sector;
        queue->asleep = clock_now() + ASLEEP;
        queue->looks = 0;
        if (!ata_read(block->disk, sector, left < SECTORS ? (unsigned)left : SECTORS, block->bytes))
                give_up(queue);
}

static void blocks_ask(struct block *block)
{
        struct queue *queue = queue_of(block);
        bool idle = !queue->first;
        if (idle)
                queue->end = &queue->first;
        block->state = BLOCK_ASKED;
        block->next = NULL;
        *queue->end = block;
        queue->end = &block->next;
        if (idle)
                start_next(queue);
}

static void say_failed(const struct block *block)
{
        uint8_t status, error;
        ata_registers(block->disk / 2, &status, &error);
        if (said++ < SAID_MOST)
                say("%s: sector %llu cannot be read (status %02xh, error %02xh).\n",
                    disk_name(block->disk), (unsigned long long)(block->number * SECTORS), status,
                    error);
}

void blocks_service(void)
{
        for (unsigned port = 0; port < ATA_PORTS; port++) {
                struct queue *queue = &queues[port];
                enum ata_answer answer = ata_answer(port);
                if (!queue->first || answer == ATA_WAITS)
                        continue;
                const struct block *block =
                        blocks_take(queue, answer == ATA_DONE ? BLOCK_HERE : BLOCK_FAILED);
                if (answer == ATA_FAILED)
                        say_failed(block);
                start_next(queue);
                wake_all(&answered);
        }
}

/* Waits until this queue's port may have answered. */
static void wait_for(struct queue *queue)
{
        if (cpu_current && !cpu_quiet && clock_now() < queue->asleep) {
                wait_through(&answered, queue->asleep);
                return;
        }
        work_goes_on(); /* a million polls take a second */
        if (ata_look((unsigned)(queue - queues)) == ATA_WAITS && ++queue->looks > LOOKS) {
                give_up(queue);
                wake_all(&answered);
        }
        blocks_service();
}

static struct block *blocks_find(unsigned disk, uint64_t number)
{
        for (struct block *block = blocks; block < blocks + BLOCKS; block++)
                if (block->number == number && block->disk == disk && block->state != BLOCK_EMPTY)
                        return block;
        return NULL;
}

/* The least recently used one that is free; NULL = all are in use. */
static struct block *oldest(void)
{
        struct block *oldest = NULL;
        for (struct block *block = blocks; block < blocks + BLOCKS; block++)
                if (block->bytes && !block->readers && block->state != BLOCK_ASKED &&
                    (!oldest || block->used < oldest->used))
                        oldest = block;
        return oldest;
}

/* The block in the cache, or one to be read. */
static struct block *blocks_choose(unsigned disk, uint64_t number)
{
        struct block *block;
        while (!(block = blocks_find(disk, number)) && !(block = oldest())) {
                struct queue *queue = queues[0].first ? &queues[0] : &queues[1];
                if (queue->first)
                        wait_for(queue);
                else
                        schedule(); /* lets the threads that waited for them run */
        }
        if (block->state == BLOCK_EMPTY || block->number != number || block->disk != disk) {
                block->disk = disk;
                block->number = number;
                blocks_ask(block);
        }
        block->used = ++lookups;
        return block;
}

/* Copies bytes from a place in a block. */
static int blocks_copy(unsigned disk, uint64_t number, size_t at, void *to, size_t size)
{
        struct block *block = blocks_choose(disk, number);
        block->readers++;
        while (block->state == BLOCK_ASKED)
                wait_for(queue_of(block));
        bool here = block->state == BLOCK_HERE;
        if (here)
                memcpy(to, block->bytes + at, size);
        if (!--block->readers && !here)
                block->state = BLOCK_EMPTY; /* the next reader asks again */
        return here ? 0 : -EIO;
}

long disk_read(unsigned disk, uint64_t offset, void *to, size_t size)
{
        size_t done = 0;
        uint64_t end = disk_size(disk);
        if (offset >= end)
                return 0;
        if (size > end - offset)
                size = (size_t)(end - offset);
        while (done < size) {
                size_t at = (size_t)(offset % BLOCK), part = BLOCK - at;
                if (part > size - done)
                        part = size - done;
                if (lost[disk] || blocks_copy(disk, offset / BLOCK, at, (uint8_t *)to + done, part))
                        return done ? (long)done : -EIO;
                done += part;
                offset += part;
        }
        return (long)done;
}
