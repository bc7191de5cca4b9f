/* ata.c - disks by programmed I/O: a command, and an interrupt and 256 words for each sector, or
 * for several at a time (ATA/ATAPI-6, "PIO data-in command protocol"). Commands: identify, set the
 * sectors per interrupt, and read, with 28 and 48 bits of address. No command writes.
 *
 * A missing port reads as all ones, as zeros, or as all ones but bit 7. */
#include "dev/ata.h"
#include "cpu/cpu.h"
#include "cpu/work.h"
#include "machine/pic.h"

/* Offsets from a port's base; the control register is elsewhere. */
#define DATA 0
#define ERROR 1
#define COUNT 2
#define LBA_LOW 3
#define LBA_MIDDLE 4
#define LBA_HIGH 5
#define DEVICE 6
#define STATUS 7
#define COMMAND 7

#define BSY 0x80
#define DF 0x20
#define DRQ 0x08
#define ERR 0x01
#define DEVICE_LBA 0xe0 /* includes two bits that old drives require */
#define DEVICE_SECOND 0x10
#define CONTROL_SILENT 0x02 /* nIEN: no interrupts */
#define PACKET_MIDDLE 0x14  /* a CD drive's signature in its address registers */
#define PACKET_HIGH 0xeb

#define IDENTIFY 0xec
#define SET_MULTIPLE 0xc6
#define READ 0x20
#define READ_WIDE 0x24 /* READ SECTOR(S) EXT */
#define READ_MULTIPLE 0xc4
#define READ_MULTIPLE_WIDE 0x29
#define AT_A_TIME 8            /* sectors, if a drive supports it */
#define SHORT_END (1ull << 28) /* first sector beyond 28 bits */

#define PATIENCE 1000000 /* polls of a drive's status while it identifies itself, 1 us each */
#define MOMENT 4000      /* polls before it accepts a command */

struct ata_drive ata_drives[ATA_DRIVES];

static struct port {
        uint16_t base, control;
        unsigned line;
        uint8_t *to;            /* address for the next sector */
        unsigned together;      /* sectors per interrupt */
        volatile unsigned left; /* sectors left; 0 = no request */
        volatile bool failed;
        uint8_t status, error;
} ports[ATA_PORTS] = {{.base = 0x1f0, .control = 0x3f6, .line = 14},
                      {.base = 0x170, .control = 0x376, .line = 15}};

static struct port *port_of(unsigned drive)
{
        return &ports[drive / 2];
}

/* A drive needs 400 ns to show its status; each read takes 100 or more. */
static void ata_settle(const struct port *port)
{
        for (int i = 0; i < 4; i++)
                in8(port->control);
}

/* The status without BSY; with BSY: the drive did not answer. */
static uint8_t ata_await(const struct port *port, unsigned looks)
{
        uint8_t status;
        do
                status = in8(port->base + STATUS);
        while (status & BSY && looks--);
        return status;
}

static void select(const struct port *port, unsigned drive, uint8_t bits)
{
        out8(port->base + DEVICE, (uint8_t)(bits | (drive & 1 ? DEVICE_SECOND : 0)));
        ata_settle(port);
}

static void put_address(const struct port *port, uint64_t sector, unsigned count)
{
        out8(port->base + COUNT, (uint8_t)count);
        out8(port->base + LBA_LOW, (uint8_t)sector);
        out8(port->base + LBA_MIDDLE, (uint8_t)(sector >> 8));
        out8(port->base + LBA_HIGH, (uint8_t)(sector >> 16));
}

static void command(struct port *port, unsigned drive, uint64_t sector, unsigned count)
{
        static const uint8_t reads[2][2] = {{READ, READ_WIDE}, {READ_MULTIPLE, READ_MULTIPLE_WIDE}};
        bool wide = sector + count > SHORT_END;
        if (wide)
                put_address(port, sector >> 24, count >> 8);
        else
                select(port, drive, (uint8_t)(DEVICE_LBA | sector >> 24));
        put_address(port, sector, count);
        out8(port->base + COMMAND, reads[port->together > 1][wide]);
        ata_settle(port);
}

bool ata_read(unsigned drive, uint64_t sector, unsigned count, void *to)
{
        struct port *port = port_of(drive);
        uintptr_t flags = flags_read();
        interrupts_off();
        select(port, drive, DEVICE_LBA);
        bool ready = !(ata_await(port, MOMENT) & (BSY | DRQ));
        if (ready) {
                port->to = to;
                port->left = count;
                port->failed = false;
                port->together = ata_drives[drive].together;
                command(port, drive, sector, count);
        }
        flags_back(flags);
        return ready;
}

/* Called in the interrupt, or with interrupts off: reads the available sectors. The drive waits
 * until its status is read. */
static void serve(struct port *port)
{
        uint8_t status = in8(port->base + STATUS);
        if (!port->left || status & BSY)
                return;
        port->status = status;
        if (status & (ERR | DF)) {
                port->error = in8(port->base + ERROR);
                port->failed = true;
                port->left = 0;
        } else if (status & DRQ) {
                unsigned sectors = port->left < port->together ? port->left : port->together;
                in16s(port->base + DATA, port->to, sectors * ATA_SECTOR / 2);
                port->to += sectors * ATA_SECTOR;
                port->left -= sectors;
                ata_settle(port);
        }
        if (!port->left)
                work_add(WORK_DEVICE);
}

static void first_interrupt(void)
{
        serve(&ports[0]);
}

static void second_interrupt(void)
{
        serve(&ports[1]);
}

enum ata_answer ata_answer(unsigned port)
{
        return ports[port].left ? ATA_WAITS : ports[port].failed ? ATA_FAILED : ATA_DONE;
}

enum ata_answer ata_look(unsigned port)
{
        uintptr_t flags = flags_read();
        interrupts_off();
        serve(&ports[port]);
        flags_back(flags);
        return ata_answer(port);
}

void ata_registers(unsigned port, uint8_t *status, uint8_t *error)
{
        *status = ports[port].status;
        *error = ports[port].error;
}

void ata_forget(unsigned port)
{
        ports[port].left = 0;
}

static bool is_nothing(uint8_t status)
{
        return !status || status == 0xff || status == 0x7f;
}

/* Words of a drive's self-description (ATA/ATAPI-6, "IDENTIFY DEVICE"). */
#define WORD_MODEL 27
#define WORD_MULTIPLE 47 /* low byte: the most sectors per interrupt */
#define WORD_CAPABILITIES 49
#define CAPABLE_LBA 0x200
#define WORD_SECTORS 60 /* two words */
#define WORD_COMMANDS 83
#define HAS_WIDE 0x400
#define WORD_SECTORS_WIDE 100 /* four words */

static void read_identity(struct ata_drive *drive, const uint16_t *words)
{
        for (int i = 0; i < 40; i += 2) {
                drive->model[i] = (char)(words[WORD_MODEL + i / 2] >> 8);
                drive->model[i + 1] = (char)words[WORD_MODEL + i / 2];
        }
        for (int i = 39; i >= 0 && drive->model[i] == ' '; i--)
                drive->model[i] = 0;
        drive->together = 1;
        if (!(words[WORD_CAPABILITIES] & CAPABLE_LBA))
                drive->missing = "a disk without LBA, which is not read";
        else if (words[WORD_COMMANDS] & HAS_WIDE)
                for (int i = 3; i >= 0; i--)
                        drive->sectors = drive->sectors << 16 | words[WORD_SECTORS_WIDE + i];
        else
                drive->sectors = words[WORD_SECTORS] | (uint32_t)words[WORD_SECTORS + 1] << 16;
}

/* The drive is selected and accepts a command. */
static void set_multiple(const struct port *port, struct ata_drive *drive)
{
        out8(port->base + COUNT, AT_A_TIME);
        out8(port->base + COMMAND, SET_MULTIPLE);
        ata_settle(port);
        if (!(ata_await(port, PATIENCE) & (BSY | ERR)))
                drive->together = AT_A_TIME;
}

static void ata_identify(unsigned number)
{
        static uint16_t words[ATA_SECTOR / 2];
        struct ata_drive *drive = &ata_drives[number];
        const struct port *port = port_of(number);
        select(port, number, DEVICE_LBA);
        if (is_nothing(in8(port->base + STATUS)))
                return;
        drive->missing = "it does not answer; it is left alone";
        if (ata_await(port, PATIENCE) & BSY)
                return;
        put_address(port, 0, 0);
        out8(port->base + COMMAND, IDENTIFY);
        ata_settle(port);
        uint8_t status = ata_await(port, PATIENCE);
        if (status & BSY)
                return;
        bool packets = in8(port->base + LBA_MIDDLE) == PACKET_MIDDLE &&
                       in8(port->base + LBA_HIGH) == PACKET_HIGH;
        drive->missing = packets ? "a drive for CDs, which is not read" : NULL;
        if (packets || !(status & DRQ))
                return;
        in16s(port->base + DATA, words, ATA_SECTOR / 2);
        ata_settle(port);
        read_identity(drive, words);
        if ((words[WORD_MULTIPLE] & 0xff) >= AT_A_TIME)
                set_multiple(port, drive);
}

void ata_init(void)
{
        static void (*const handlers[ATA_PORTS])(void) = {first_interrupt, second_interrupt};
        static const char *const names[ATA_PORTS] = {"ide0", "ide1"};
        for (unsigned i = 0; i < ATA_PORTS; i++) {
                out8(ports[i].control, CONTROL_SILENT);
                ata_identify(2 * i);
                ata_identify(2 * i + 1);
                if (!ata_drives[2 * i].sectors && !ata_drives[2 * i + 1].sectors)
                        continue;
                out8(ports[i].control, 0);
                pic_listen(ports[i].line, names[i], handlers[i]);
        }
}
