/*
 * site.c - the sites of a file's system calls: found, rewritten, kept with the file.
 *
 * A site is `mov $N,%eax; syscall` (B8 N N 00 00 0F 05), or the same with `mov $N,%rax` (48 C7 C0
 * ...). Its last seven bytes become `jmp [SITES_AT + ...]` (FF 24 25 X X 0F 05), whose slot leads
 * to a stub. The file itself stays as it is. Pages that have sites exist twice: programs in ring
 * 3, and read(), find the file's own; the text of trusted programs is mapped from offsets with
 * OFFSET_OF_CALLS, where the file's kind answers with the others. That kind is a copy of the one
 * that the file had, in which this file has put its functions; so nobody else pays for the
 * question.
 */
#include "site.h"
#include "config.h"
#include "cpu/window.h"
#include "machine/console.h"
#include "entry/site.h"
#include "errno.h"
#include "file/file.h"
#include "node/node.h"
#include "node/quota.h"
#include "lib/string.h"
#include "lib/table.h"
#include "mem/frame.h"
#include "calls.h"
#include "process/process.h"
#include "thread/thread.h"
#include "thread/user.h"

#define LENGTH 7 /* of a jump through memory, and what of it is SYSCALL */
#define SYSCALL_LENGTH 2
#define RECORDS (PAGE_SIZE / SITE_RECORD) /* in a page */
_Static_assert(sizeof(struct site) == SITE_RECORD, "record");
_Static_assert(offsetof(struct site, number) == SITE_NUMBER, "record");
_Static_assert(offsetof(struct site, back) == SITE_BACK, "record");
_Static_assert(SITES_AT + SITES_MOST * SITE_RECORD <= SITES_END, "slots");
_Static_assert(SITES_AT >> 16 == 0x050f, "SYSCALL");

/* Of a file */
struct sites {
        struct node_kind kind; /* first: the file's, with what is here */
        struct sites *self;
        const struct node_kind *was;
        unsigned count;                          /* of sites */
        unsigned stay;                           /* SYSCALLs that are no such site */
        uintptr_t records[SITES_MOST / RECORDS]; /* frames */
        uint64_t *pages, *pages_end;             /* (page of the file) << 32 | its frame's number */
        uintptr_t table;                         /* the frame that they lie in */
};

extern const uint8_t site_stubs[][SITE_STUB];
extern call *const clean_direct_calls[CALLS];
extern call clean_trusted_call_frame;

static void free_node(struct node *node);

/* NULL = nothing of it is rewritten. */
static struct sites *sites_of(const struct node *node)
{
        return node->kind->free == free_node ? ((const struct sites *)node->kind)->self : NULL;
}

/* The page at an offset as it is with calls; NULL = as the file has it. */
static uint8_t *page_with_calls(const struct sites *sites, uint64_t offset)
{
        uint64_t page = (uint32_t)(offset / PAGE_SIZE);
        const uint64_t *line =
                table_find(sites->pages, sites->pages_end, 1, page << 32 | UINT32_MAX);
        return line && *line >> 32 == page ? DIRECT((uintptr_t)(uint32_t)*line * PAGE_SIZE) : NULL;
}

static uintptr_t frame(struct node *node, uint64_t offset)
{
        const struct sites *sites = sites_of(node);
        if (offset & OFFSET_OF_SITES)
                return sites->records[(offset & ~OFFSET_OF_SITES) / PAGE_SIZE];
        const uint8_t *page = offset & OFFSET_OF_CALLS ? page_with_calls(sites, offset) : NULL;
        return page ? PHYSICAL(page) : sites->was->frame(node, offset & ~OFFSET_OF_CALLS);
}

static long read(struct node *node, uint64_t offset, void *to, size_t size)
{
        const struct sites *sites = sites_of(node);
        size_t in_page = offset & (PAGE_SIZE - 1);
        if (!(offset & OFFSET_OF_CALLS))
                return sites->was->read(node, offset, to, size);
        if (size > PAGE_SIZE - in_page)
                size = PAGE_SIZE - in_page;
        const uint8_t *page = page_with_calls(sites, offset);
        if (!page)
                return sites->was->read(node, offset & ~OFFSET_OF_CALLS, to, size);
        memcpy(to, page + in_page, size);
        return (long)size;
}

static void free_sites(struct sites *sites)
{
        for (const uint64_t *line = sites->pages; line < sites->pages_end; line++) {
                interrupt_window();
                quota_frame_free((uintptr_t)(uint32_t)*line * PAGE_SIZE);
        }
        for (size_t i = 0; i < sizeof sites->records / sizeof *sites->records; i++)
                quota_frame_free(sites->records[i]);
        quota_frame_free(sites->table);
        quota_free(sites, sizeof *sites);
}

/* What it was before. No program runs it. */
static void forget(struct node *node)
{
        struct sites *sites = sites_of(node);
        node->kind = sites->was;
        free_sites(sites);
}

static void free_node(struct node *node)
{
        forget(node);
        node->kind->free(node);
}

static int cut(struct node *node, uint64_t size)
{
        forget(node);
        return node->kind->cut(node, size);
}

static int open(struct file *file)
{
        if ((file->flags & O_ACCMODE) != O_RDONLY)
                forget(file->node);
        return 0;
}

/* A call that builds no frame: the others stay SYSCALL. */
static bool can_be_direct(unsigned number)
{
        return number < CALLS && clean_direct_calls[number] != clean_trusted_call_frame;
}

#define LOOK_BACK 7 /* bytes before SYSCALL that decide */
#define MOV_EAX 0xb8
#define PREFIX_CS 0x2e /* says nothing before a jump (SDM 2A, "Instruction Prefixes") */

/* The number of a site whose SYSCALL lies there; -1 = it is none. A prefix would make the mov
 * another instruction. */
static int number_at(const uint8_t *syscall)
{
        const uint8_t *mov = syscall - 5;
        unsigned number = (unsigned)(mov[1] | mov[2] << 8);
        bool narrow = mov[0] == MOV_EAX && (mov[-1] & 0xf0) != 0x40 && mov[-1] != 0x66;
        bool wide = mov[0] == 0xc0 && mov[-1] == 0xc7 && mov[-2] == 0x48;
        return (narrow || wide) && !mov[3] && !mov[4] && can_be_direct(number) ? (int)number : -1;
}

/* What is being looked through: a page of a segment's text. */
struct text {
        struct sites *sites;
        const uint8_t *bytes; /* the file's */
        uint64_t offset;      /* of the page in it */
        size_t first, end;    /* what of it is the segment's */
        uint64_t moved;       /* from an offset to where it will be in memory */
        uint8_t *copy;        /* with calls, or NULL yet */
};

/* The copy is made with the first site. NULL = there is no room for it. */
static uint8_t *copy_of(struct text *text)
{
        struct sites *sites = text->sites;
        uintptr_t frame = text->copy ? 0 : quota_frame();
        if (frame) {
                text->copy = DIRECT(frame);
                page_copy(text->copy, text->bytes);
                *sites->pages_end++ = text->offset / PAGE_SIZE << 32 | frame / PAGE_SIZE;
        }
        return text->copy;
}

/* The next record, or NULL. */
static struct site *new_record(struct sites *sites)
{
        uintptr_t *frame = &sites->records[sites->count / RECORDS];
        if (!*frame)
                *frame = quota_frame();
        return *frame ? (struct site *)DIRECT(*frame) + sites->count % RECORDS : NULL;
}

/* Whether it has become a call. `at`: of the SYSCALL in the page. */
static bool rewrite(struct text *text, size_t at)
{
        struct sites *sites = text->sites;
        bool room = at >= text->first + LOOK_BACK && sites->count < SITES_MOST;
        int number = room ? number_at(text->bytes + at) : -1;
        struct site *site = number >= 0 ? new_record(sites) : NULL;
        uint8_t *copy = site ? copy_of(text) : NULL;
        if (!copy)
                return false;
        uint32_t slot = SITES_AT + sites->count * SITE_RECORD;
        const uint8_t jump[] = {0xff, 0x24, 0x25, (uint8_t)slot, (uint8_t)(slot >> 8)};
        memcpy(copy + at - sizeof jump, jump, sizeof jump);
        if (text->bytes[at - sizeof jump] != MOV_EAX)
                memset(copy + at - LOOK_BACK, PREFIX_CS, LOOK_BACK - sizeof jump);
        *site = (struct site){
                .stub = (uintptr_t)site_stubs[sites->count],
                .number = (uintptr_t)number,
                .back = (uintptr_t)(text->offset + at + SYSCALL_LENGTH + text->moved)};
        sites->count++;
        return true;
}

#define EACH(byte) (0x0101010101010101ull * (byte))

/* The high bits of those bytes of a word that are 05, and maybe of some above one that is. */
static inline uint64_t maybe_fives(uint64_t word)
{
        word ^= EACH(0x05);
        return (word - EACH(1)) & ~word & EACH(0x80);
}

/* A SYSCALL across two pages is no site, and not counted. */
static void look_at(struct text *text, size_t at, uint64_t fives)
{
        for (; fives; fives &= fives - 1) {
                size_t i = at + (size_t)__builtin_ctzll(fives) / 8;
                bool ours = i > text->first && i < text->end;
                if (ours && text->bytes[i] == 0x05 && text->bytes[i - 1] == 0x0f)
                        text->sites->stay += !rewrite(text, i - 1);
        }
}

static void look_through(struct text *text)
{
        const loose_word *words = (const loose_word *)text->bytes;
#pragma GCC unroll 8
        for (size_t i = 0; i < PAGE_SIZE / sizeof *words; i++) {
                uint64_t fives = maybe_fives(words[i]);
                if (__builtin_expect(fives != 0, false))
                        look_at(text, i * sizeof *words, fives);
        }
}

/* A page of the file: where it lies, or in `buffer`, with zeros behind the file's end. NULL = it
 * cannot be read. */
static const uint8_t *page_of(struct node *node, uint64_t offset, uint8_t *buffer)
{
        size_t run;
        uintptr_t frame; /* stays: nobody else runs before it has been looked through */
        const uint8_t *there = node->kind->look(node, offset, &run, &frame);
        if (!there || run >= PAGE_SIZE)
                return there;
        uint64_t size = node_facts(node).size - offset;
        size_t part = size < PAGE_SIZE ? (size_t)size : PAGE_SIZE;
        memset(buffer + part, 0, PAGE_SIZE - part);
        return node_read(node, offset, buffer, part) ? buffer : NULL;
}

/* Pages are looked through in the order of the file: a segment that lies before another, or shares
 * a page with it, is left. */
static void look_through_segment(struct sites *sites, const struct elf_segment *s,
                                 struct node *node, uint8_t *buffer)
{
        uint64_t at = s->offset & ~(uint64_t)(PAGE_SIZE - 1), end = s->offset + s->file_size;
        if (sites->pages_end > sites->pages && at / PAGE_SIZE <= sites->pages_end[-1] >> 32)
                return;
        for (; at < end; at += PAGE_SIZE) {
                struct text text = {.sites = sites, .offset = at, .end = PAGE_SIZE};
                text.bytes = page_of(node, at, buffer);
                text.moved = s->address - s->offset;
                if (!text.bytes)
                        return;
                if (at < s->offset)
                        text.first = (size_t)(s->offset - at);
                if (end - at < PAGE_SIZE)
                        text.end = (size_t)(end - at);
                interrupt_window();
                look_through(&text);
        }
}

static void fill(struct sites *sites, const struct elf *elf, struct node *node, uintptr_t buffer)
{
        sites->pages = sites->pages_end = DIRECT(sites->table);
        for (size_t i = 0; i < elf->segment_count; i++)
                if (elf->segments[i].flags & ELF_EXECUTE)
                        look_through_segment(sites, &elf->segments[i], node, DIRECT(buffer));
        if (!sites->count) {
                quota_frame_free(sites->table);
                sites->table = 0;
        }
}

/* What the sites of a file are, which nobody can write to now. NULL = out of memory. */
static struct sites *find_sites(const struct elf *elf, struct node *node)
{
        struct sites *sites = quota_allocate(sizeof *sites);
        uintptr_t buffer = sites ? frame_take() : 0;
        if (!sites)
                return NULL;
        sites->table = buffer ? quota_frame() : 0;
        bool good = sites->table;
        if (good)
                fill(sites, elf, node, buffer);
        if (buffer)
                frame_free(buffer);
        if (!good) {
                quota_free(sites, sizeof *sites);
                return NULL;
        }
        return sites;
}

static void keep(struct sites *sites, struct node *node)
{
        sites->self = sites;
        sites->was = node->kind;
        sites->kind = *node->kind;
        sites->kind.free = free_node;
        sites->kind.open = open;
        sites->kind.cut = cut;
        if (sites->count) {
                sites->kind.read = read;
                sites->kind.frame = frame;
        }
        node->kind = &sites->kind;
}

/* Somebody may write to the file without opening it anew. */
static bool is_shared(const struct node *node)
{
        for (const struct thread *t = node->mapped ? threads : NULL; t; t = t->next)
                for (const struct area *a = t->memory ? t->memory->areas : NULL; a; a = a->next) {
                        interrupt_window();
                        if (a->node == node && a->flags & AREA_SHARED)
                                return true;
                }
        return false;
}

/* NULL = they may be rewritten, or a sentence. */
static const char *why_not(const struct elf *elf, const struct node *node)
{
        if (!strcmp(config.direct, "off"))
                return "direct=off";
        if (!node->kind->look || !node->kind->frame || node->kind->open)
                return "its file is not in memory";
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *s = &elf->segments[i];
                if (s->address < SITES_END && s->address + s->memory_size > SITES_AT)
                        return "it has something at 0x050f0000 itself";
        }
        return is_shared(node) ? "its file is mapped shared" : NULL;
}

static void tell(const char *path, const struct sites *sites, const char *why)
{
        if (strcmp(config.calls, "say"))
                return;
        if (why)
                say("%s: its system calls stay SYSCALL: %s\n", path, why);
        else
                say("%s: %u of its system calls are calls, %u stay SYSCALL\n", path, sites->count,
                    sites->stay);
}

/* Known, or found now; *sites = NULL: there are none to be had. False = out of memory. */
static bool learn(struct sites **sites, const struct elf *elf, struct node *node, const char *path)
{
        if ((*sites = sites_of(node)))
                return true;
        const char *why = why_not(elf, node);
        struct sites *found = why ? NULL : find_sites(elf, node);
        if (found && sites_of(node)) { /* another execve() was faster */
                free_sites(found);
                found = NULL;
        } else if (found) {
                keep(found, node);
        }
        *sites = sites_of(node);
        if (why || *sites)
                tell(path, *sites, why);
        return why || *sites;
}

bool sites_prepare(struct memory *memory, struct elf *elf, struct node *node, const char *path)
{
        struct sites *sites;
        if (!learn(&sites, elf, node, path))
                return false;
        if (!sites || !sites->count)
                return true;
        for (size_t i = 0; i < elf->segment_count; i++)
                if (elf->segments[i].flags & ELF_EXECUTE)
                        elf->segments[i].offset |= OFFSET_OF_CALLS;
        size_t size = (sites->count + RECORDS - 1) / RECORDS * PAGE_SIZE;
        return !memory_map_file(memory, SITES_AT, size, AREA_READ, node, OFFSET_OF_SITES);
}

/* The row's stubs, to where each is back on the program's stack, and to its end. */
extern const uint8_t clean_trusted_site_standard_entry[], probed_trusted_site_standard_entry[],
        clean_site_row_out[], probed_site_row_out[], clean_trusted_site_common[],
        probed_trusted_site_common[];
static const struct row_stub {
        const uint8_t *start, *out, *end;
} row_stubs[] = {
        {clean_trusted_site_standard_entry, clean_site_row_out, clean_trusted_site_common},
        {probed_trusted_site_standard_entry, probed_site_row_out, probed_trusted_site_common},
};

/* NULL = it is in no row's. */
static const struct row_stub *row_stub_at(uintptr_t ip)
{
        for (size_t i = 0; i < sizeof row_stubs / sizeof *row_stubs; i++)
                if (ip >= (uintptr_t)row_stubs[i].start && ip < (uintptr_t)row_stubs[i].end)
                        return &row_stubs[i];
        return NULL;
}

/* The program's record of the site whose stub has that address; NULL = no site's stub has it. */
static struct site *record_at(uintptr_t ip)
{
        uintptr_t at = ip - (uintptr_t)site_stubs;
        bool is_stub = at < SITES_MOST * SITE_STUB;
        return is_stub ? USER(struct site, SITES_AT + at / SITE_STUB * SITE_RECORD) : NULL;
}

/* Read with a fixup: another thread may have unmapped it. Pages of a trusted program are the
 * kernel's, so SMAP says nothing. */
void site_frame(struct frame *frame)
{
        const struct site *record = record_at(frame->ip);
        if (!record)
                record = &site_row;
        USER_GET(frame->number, record->number, gone);
        USER_GET(frame->ip, record->back, gone);
        return;
gone:
        frame->number = (uintptr_t)NO_CALL;
        frame->ip = 0; /* where nothing is */
}

/* The stack is not the kernel's here: no fault can be mended. */
bool site_left(struct frame *frame)
{
        struct site site = site_row, *record = record_at(frame->ip);
        const struct row_stub *row = row_stub_at(frame->ip);
        if (!row && !record)
                return false;
        if (record && !memory_read(cpu_current->memory, (uintptr_t)record, &site, sizeof site))
                return false;
        uintptr_t in = frame->ip - (uintptr_t)site_stubs;
        bool out = row ? frame->ip >= (uintptr_t)row->out : in % SITE_STUB >= SITE_IN;
        frame->ip = out ? site.back : site.back - LENGTH;
        return true;
}
