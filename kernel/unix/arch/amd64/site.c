/* site.c - finds the sites of a file's system calls, rewrites them and keeps them with the file.
 *
 * A site is `mov $N,%eax; syscall` (B8 N N 00 00 0F 05), or the same with `mov $N,%rax` (48 C7 C0
 * ...). Its last seven bytes become `jmp [SITES_AT + ...]` (FF 24 25 X X 0F 05), whose slot points
 * to a stub. `xor %eax,%eax` before SYSCALL, as in glibc's read(), becomes a short jump to the
 * padding behind the function's RET, which holds the jump to the stub. A library function for calls
 * of any number is recognised by the bytes around its SYSCALL (forms). Instructions before its
 * SYSCALL become the jump, and site_any.asm executes them. The file itself is unchanged. Pages with
 * sites exist twice: ring 3 and read() use the file's own page. In a trusted program's text the
 * area has AREA_CALLS, and a page fault there calls sites_frame(). The file gets a copy of its kind
 * with functions of this file, which forget the sites when the file changes. */
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
#include "mem/space.h"
#include "calls.h"
#include "process/process.h"
#include "thread/thread.h"
#include "thread/user.h"

#define LENGTH 7 /* length of a jump through memory, or of a wide mov; and of the SYSCALL in it */
#define SYSCALL_LENGTH 2
#define NARROW (LENGTH - SYSCALL_LENGTH)  /* length of `mov $N,%eax` */
#define RECORDS (PAGE_SIZE / SITE_RECORD) /* per page */
_Static_assert(sizeof(struct site) == SITE_RECORD, "record");
_Static_assert(offsetof(struct site, number) == SITE_NUMBER, "record");
_Static_assert(offsetof(struct site, back) == SITE_BACK, "record");
_Static_assert(SITES_AT >> 16 == 0x050f, "SYSCALL");

/* Functions for calls of any number, with the offsets of the site and of the SYSCALL */
static const struct form {
        const char *bytes;
        uint8_t size, start, syscall;
} forms[] = {
        /* mov 16(%rsp),%rax; syscall; pop %rbx; ret: glibc's __internal_syscall_cancel, from 2.41
           on */
        {"\x48\x8b\x44\x24\x10\x0f\x05\x5b\xc3", 9, 0, 5},
        /* mov %r11,8(%rsp); syscall; ret: glibc's __syscall_cancel_arch, musl's __syscall_cp_asm */
        {"\x4c\x89\x5c\x24\x08\x0f\x05\xc3", 8, 0, 5},
        /* mov %r9,%r8; mov %rdx,%rsi; mov 8(%rsp),%r9; mov %rcx,%rdx; syscall; ret: musl's
         * __syscall_cp_c */
        {"\x4d\x89\xc8\x48\x89\xd6\x4c\x8b\x4c\x24\x08\x48\x89\xca\x0f\x05\xc3", 17, 6, 14},
        /* mov %rsi,%r10; mov %rdi,%rdx; mov %rcx,%rsi; mov %rbx,%rdi; syscall; cmp $-4095,%rax:
         * Go's Syscall6 */
        {"\x49\x89\xf2\x48\x89\xfa\x48\x89\xce\x48\x89\xdf\x0f\x05\x48\x3d\x01\xf0\xff\xff", 20, 6,
         12},
        /* movzwl %ax,%eax; mov %rcx,%r10; syscall; cmp $-132,%rax: dietlibc's __unified_syscall */
        {"\x0f\xb7\xc0\x49\x89\xca\x0f\x05\x48\x3d\x7c\xff\xff\xff", 14, 0, 6},
        /* mov %rcx,%r10; syscall; cmp $-4095,%rax; jae ...; ret; neg %eax: klibc's
           __syscall_common */
        {"\x49\x89\xca\x0f\x05\x48\x3d\x01\xf0\xff\xff\x73\x01\xc3\xf7\xd8", 16, 0, 3},
};
/* The slot of a jump of three bytes. The address is made of SYSCALL and the first bytes of CMP. */
#define FAR_AT 0x3d480000
#define FAR_SLOT 0x50f
#define FORMS (sizeof forms / sizeof *forms)
extern const uint8_t any_sites[FORMS][ANY_SITE]; /* site_any.asm */
_Static_assert(ANY_AT + FORMS * PAGE_SIZE <= SITES_END, "pages");
_Static_assert(SITES_AT + SITES_MOST * SITE_RECORD <= ANY_AT, "slots");

/* The sites of a file */
struct sites {
        struct node_kind kind; /* first: the file's kind, with this file's operations */
        struct sites *self;
        const struct node_kind *was;
        unsigned count;                          /* of records */
        unsigned calls, stay;                    /* SYSCALLs that became calls, and others */
        uintptr_t any[FORMS], far;               /* frames of their pages; of that at FAR_AT */
        uintptr_t records[SITES_MOST / RECORDS]; /* frames */
        uint64_t *pages, *pages_end;             /* (page of the file) << 32 | its frame's number */
        uintptr_t table;                         /* the frame with the table */
};

extern const uint8_t site_stubs[][SITE_STUB];
extern call *const clean_direct_calls[CALLS];
extern call clean_trusted_call_frame;

static void free_node(struct node *node);

/* NULL = nothing in the file was rewritten. */
static struct sites *sites_of(const struct node *node)
{
        return node->kind->free == free_node ? ((const struct sites *)node->kind)->self : NULL;
}

uintptr_t sites_frame(const struct node *node, uint64_t offset)
{
        const struct sites *sites = sites_of(node);
        uint64_t page = offset / PAGE_SIZE;
        const uint64_t *line =
                sites ? table_find(sites->pages, sites->pages_end, 1, page << 32 | UINT32_MAX)
                      : NULL;
        return line && *line >> 32 == page ? (uintptr_t)(uint32_t)*line * PAGE_SIZE : 0;
}

static void free_sites(struct sites *sites)
{
        for (const uint64_t *line = sites->pages; line < sites->pages_end; line++) {
                interrupt_window();
                quota_frame_free((uintptr_t)(uint32_t)*line * PAGE_SIZE);
        }
        for (size_t i = 0; i < sizeof sites->records / sizeof *sites->records; i++)
                quota_frame_free(sites->records[i]);
        for (size_t i = 0; i < FORMS; i++)
                quota_frame_free(sites->any[i]);
        quota_frame_free(sites->far);
        quota_frame_free(sites->table);
        quota_free(sites, sizeof *sites);
}

/* Forgets the sites of a file. No program runs it. */
static void site_forget(struct node *node)
{
        struct sites *sites = sites_of(node);
        node->kind = sites->was;
        free_sites(sites);
}

static void free_node(struct node *node)
{
        site_forget(node);
        node->kind->free(node);
}

static int site_cut(struct node *node, uint64_t size)
{
        site_forget(node);
        return node->kind->cut(node, size);
}

static int site_open(struct file *file)
{
        if ((file->flags & O_ACCMODE) != O_RDONLY)
                site_forget(file->node);
        return 0;
}

/* Whether the call needs no frame; other sites stay SYSCALL. */
static bool can_be_direct(unsigned number)
{
        return number < CALLS && clean_direct_calls[number] != clean_trusted_call_frame;
}

#define MOV_EAX 0xb8
#define PREFIX_CS 0x2e /* ignored before a jump (SDM 2A, "Instruction Prefixes") */

/* Before the mov it would change the mov or the jump (SDM 2A, "Instruction Prefixes", "REX
 * Prefixes"). A mov with LOCK is #UD, so F0 there ends the previous instruction. */
static bool is_prefix(uint8_t byte)
{
        static const uint8_t prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64,
                                           0x65, 0x66, 0x67, 0xf2, 0xf3};
        for (size_t i = 0; i < sizeof prefixes; i++)
                if (byte == prefixes[i])
                        return true;
        return (byte & 0xf0) == 0x40;
}

/* A page of a segment's text that is being searched. */
struct text {
        struct sites *sites;
        const uint8_t *bytes; /* the file's */
        uint64_t offset;      /* offset of the page in the segment */
        size_t first, end;    /* the part of the page in the segment */
        uint8_t before;       /* the byte before it in the segment; 0 = none */
        uint64_t moved;       /* distance from file offset to memory address */
        uint8_t *copy;        /* rewritten, or NULL if not yet needed */
};

/* The byte before an offset in the page. */
static uint8_t byte_before(const struct text *text, size_t at)
{
        return at > text->first ? text->bytes[at - 1] : text->before;
}

/* The number of the site with this SYSCALL; -1 = not a site. */
static int number_at(const struct text *text, size_t at)
{
        if (at < text->first + NARROW)
                return -1;
        const uint8_t *mov = text->bytes + at - NARROW;
        bool narrow = mov[0] == MOV_EAX && !is_prefix(byte_before(text, at - NARROW));
        bool wide = mov[0] == 0xc0 && at >= text->first + LENGTH && mov[-1] == 0xc7 &&
                    mov[-2] == 0x48 && !is_prefix(byte_before(text, at - LENGTH));
        unsigned number = (unsigned)(mov[1] | mov[2] << 8);
        return (narrow || wide) && !mov[3] && !mov[4] && can_be_direct(number) ? (int)number : -1;
}

#define JMP_SHORT 0xeb
#define JMP_LENGTH 2
#define RET 0xc3
#define READ_REST 11 /* bytes from its SYSCALL to its padding */
#define NOP_MOST 11

/* The length of a NOP with room for two jumps; 0 = none. */
static size_t nop_at(const uint8_t *at)
{
        static const uint8_t nop[] = {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};
        size_t prefixes = 0;
        while (prefixes < NOP_MOST - sizeof nop &&
               (at[prefixes] == 0x66 || at[prefixes] == PREFIX_CS))
                prefixes++;
        bool good = prefixes && !memcmp(at + prefixes, nop, sizeof nop);
        return good ? prefixes + sizeof nop : 0;
}

/* Length of the padding behind `xor %eax,%eax; syscall; cmp $-4096,%rax; ja ...; ret`; 0 = no such
 * code. JA's target is behind the padding, so both are in one function. No other code jumps to
 * padding inside a function, and for an unwinder it is like the SYSCALL. */
static size_t read_padding(const struct text *text, size_t at)
{
        if (at < text->first + JMP_LENGTH || at + READ_REST + NOP_MOST > text->end)
                return 0;
        const uint8_t *syscall = text->bytes + at;
        static const uint8_t code[] = {0x31, 0xc0, 0x0f, 0x05, 0x48, 0x3d,
                                       0x00, 0xf0, 0xff, 0xff, 0x77};
        const uint8_t *ret = syscall + READ_REST - 1;
        if (memcmp(syscall - JMP_LENGTH, code, sizeof code) || *ret != RET ||
            is_prefix(byte_before(text, at - JMP_LENGTH)))
                return 0;
        size_t length = nop_at(ret + 1);
        return ret[-1] > length && ret[-1] < 0x80 ? length : 0;
}

/* Copies the page at its first site. NULL = no room, or no table: sites are only counted. */
static uint8_t *copy_of(struct text *text)
{
        struct sites *sites = text->sites;
        bool full = sites->pages_end - sites->pages == PAGE_SIZE / sizeof *sites->pages;
        uintptr_t frame = text->copy || !sites->table || full ? 0 : quota_frame();
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

/* Writes a jump through a slot, seven bytes. */
static void put_jump(uint8_t *at, uint32_t slot)
{
        static const uint8_t jump[] = {0xff, 0x24, 0x25};
        memcpy(at, jump, sizeof jump);
        memcpy(at + sizeof jump, &slot, sizeof slot);
}

/* Padding that is executed must still do nothing. */
static void put_jumps(uint8_t *syscall, size_t padding, uint32_t slot)
{
        syscall[-2] = JMP_SHORT;
        syscall[-1] = READ_REST + JMP_LENGTH;
        syscall[READ_REST] = JMP_SHORT;
        syscall[READ_REST + 1] = (uint8_t)(padding - JMP_LENGTH);
        put_jump(syscall + READ_REST + JMP_LENGTH, slot);
}

/* Adds a record for the site's call of this number, and returns its stub; 0 = no room. */
static uintptr_t add_record(struct sites *sites, struct site site)
{
        struct site *record = sites->count < SITES_MOST ? new_record(sites) : NULL;
        if (!record)
                return 0;
        site.stub = (uintptr_t)site_stubs[sites->count++];
        *record = site;
        return site.stub;
}

/* The form of the function with this SYSCALL; FORMS = none. */
static size_t form_at(const struct text *text, size_t at)
{
        size_t i = 0;
        for (const struct form *f = forms; i < FORMS; f++, i++)
                if (at >= text->first + f->syscall && at + f->size - f->syscall <= text->end &&
                    !memcmp(text->bytes + at - f->syscall, f->bytes, f->size))
                        break;
        return i;
}

/* Fills the page of a form's site with a stub for each number. */
static void fill_any(struct sites *sites, size_t form, uintptr_t back)
{
        uintptr_t *page = DIRECT(sites->any[form]), syscall = back - SYSCALL_LENGTH;
        for (unsigned n = 0; n < ANY_CALLS; n++) {
                struct site site = {.number = n, .back = back, .start = syscall};
                bool good = can_be_direct(n) && clean_direct_calls[n] != direct_nosys;
                uintptr_t stub = good ? add_record(sites, site) : 0;
                page[n] = stub ? stub : syscall;
        }
        page[ANY_CODE / sizeof *page] = (uintptr_t)any_sites[form];
        page[ANY_START / sizeof *page] =
                syscall - (uintptr_t)forms[form].syscall + forms[form].start;
        page[ANY_SYSCALL / sizeof *page] = syscall;
        page[ANY_BACK / sizeof *page] = back;
}

/* Rewrites a site of a form; each form is in a program once. */
static bool rewrite_any(struct text *text, size_t at, uintptr_t back)
{
        size_t form = form_at(text, at);
        if (form == FORMS || text->sites->any[form])
                return false;
        uint8_t *copy = copy_of(text);
        size_t size = (size_t)(forms[form].syscall - forms[form].start), jump = NARROW;
        if (!copy || !(text->sites->any[form] = quota_frame()))
                return false;
        fill_any(text->sites, form, back);
        uint32_t slot = (uint32_t)(ANY_AT + form * PAGE_SIZE + ANY_CODE);
        if (size < NARROW) {
                if (!(text->sites->far = quota_frame()))
                        return false;
                uintptr_t code = (uintptr_t)any_sites[form];
                memcpy((uint8_t *)DIRECT(text->sites->far) + FAR_SLOT, &code, sizeof code);
                slot = FAR_AT + FAR_SLOT;
                jump = size;
        }
        memset(copy + at - size, PREFIX_CS, size - jump);
        put_jump(copy + at - jump, slot);
        return true;
}

/* Rewrites a site; false = it stays SYSCALL. `at`: the SYSCALL's offset in the page. */
static __attribute__((noinline)) bool rewrite(struct text *text, size_t at)
{
        struct sites *sites = text->sites;
        const uint8_t *syscall = text->bytes + at;
        int number = number_at(text, at);
        size_t padding = number < 0 ? read_padding(text, at) : 0;
        uintptr_t back = (uintptr_t)(text->offset + at + SYSCALL_LENGTH + text->moved);
        if (number < 0 && !padding)
                return rewrite_any(text, at, back);
        uint8_t *copy = copy_of(text);
        uint32_t slot = SITES_AT + sites->count * SITE_RECORD;
        struct site site = {.number = padding ? 0 : (uintptr_t)number,
                            .back = back,
                            .start = back - (padding ? JMP_LENGTH + SYSCALL_LENGTH : LENGTH)};
        if (!copy || !add_record(sites, site))
                return false;
        if (padding)
                put_jumps(copy + at, padding, slot);
        else
                put_jump(copy + at - NARROW, slot);
        if (!padding && syscall[-NARROW] != MOV_EAX)
                memset(copy + at - LENGTH, PREFIX_CS, LENGTH - NARROW);
        return true;
}

#define EACH(byte) (0x0101010101010101ull * (byte))

/* Sets the high bit of each byte of a word that is 05, and perhaps of bytes above one. */
static inline uint64_t maybe_fives(uint64_t word)
{
        word ^= EACH(0x05);
        return (word - EACH(1)) & ~word & EACH(0x80);
}

/* A SYSCALL across two pages is neither a site nor counted. */
static void look_at(struct text *text, size_t at, uint64_t fives)
{
        for (; fives; fives &= fives - 1) {
                size_t i = at + (size_t)__builtin_ctzll(fives) / 8;
                bool ours = i > text->first && i < text->end;
                if (ours && text->bytes[i] == 0x05 && text->bytes[i - 1] == 0x0f)
                        ++*(rewrite(text, i - 1) ? &text->sites->calls : &text->sites->stay);
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

/* A page of the file, in place or in `buffer`, with zeros behind the file's end. NULL =
 * unreadable. */
static const uint8_t *page_of(struct node *node, uint64_t offset, uint8_t *buffer)
{
        size_t run;
        uintptr_t frame; /* stays: no other thread runs before the search ends */
        const uint8_t *there =
                node->kind->look ? node->kind->look(node, offset, &run, &frame) : NULL;
        if (there && run >= PAGE_SIZE)
                return there;
        uint64_t size = node_facts(node).size - offset;
        size_t part = size < PAGE_SIZE ? (size_t)size : PAGE_SIZE;
        memset(buffer + part, 0, PAGE_SIZE - part);
        return node_read(node, offset, buffer, part) ? buffer : NULL;
}

/* Searches pages in file order. Skips a segment that is before another, and a page that is copied
 * instead of mapped: the last one of a segment that continues with zeros. */
static void look_through_segment(struct sites *sites, const struct elf_segment *s,
                                 struct node *node, uint8_t *buffer)
{
        uint64_t at = s->offset & ~(uint64_t)(PAGE_SIZE - 1), end = s->offset + s->file_size;
        if (s->memory_size > s->file_size)
                end &= ~(uint64_t)(PAGE_SIZE - 1);
        if (sites->pages_end > sites->pages && at / PAGE_SIZE <= sites->pages_end[-1] >> 32)
                return;
        for (uint8_t last = 0; at < end; at += PAGE_SIZE) {
                struct text text = {.sites = sites, .offset = at, .end = PAGE_SIZE, .before = last};
                text.bytes = page_of(node, at, buffer);
                text.moved = s->address - s->offset;
                if (!text.bytes)
                        return;
                if (at < s->offset)
                        text.first = (size_t)(s->offset - at);
                if (end - at < PAGE_SIZE)
                        text.end = (size_t)(end - at);
                look_through(&text);
                last = text.bytes[PAGE_SIZE - 1];
                work_goes_on();
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

/* Finds the sites of a file, and rewrites them if it is not writable now. NULL = out of memory. */
static struct sites *find_sites(const struct elf *elf, struct node *node, bool rewrites)
{
        struct sites *sites = quota_allocate(sizeof *sites);
        uintptr_t buffer = sites ? frame_take() : 0;
        if (!sites)
                return NULL;
        sites->table = buffer && rewrites ? quota_frame() : 0;
        bool good = buffer && (sites->table || !rewrites);
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
        sites->kind.open = site_open;
        sites->kind.cut = site_cut;
        node->kind = &sites->kind;
}

/* A writable descriptor or mapping of the file may exist. */
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

/* Whether some page has bytes of both ranges. */
static bool share_page(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
        return a_size && b_size && a / PAGE_SIZE <= (b + b_size - 1) / PAGE_SIZE &&
               b / PAGE_SIZE <= (a + a_size - 1) / PAGE_SIZE;
}

/* A site returns to one address, so its page must be mapped once, from one place in the file. */
static bool is_mapped_once(const struct elf *elf, const struct elf_segment *text)
{
        if ((text->address - text->offset) % PAGE_SIZE)
                return false;
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *s = &elf->segments[i];
                if (s != text &&
                    (share_page(text->address, text->memory_size, s->address, s->memory_size) ||
                     (s->flags & ELF_EXECUTE &&
                      share_page(text->offset, text->file_size, s->offset, s->file_size))))
                        return false;
        }
        return true;
}

static bool lies_in(const struct elf_segment *s, uint64_t start, uint64_t end)
{
        return s->address < end && s->address + s->memory_size > start;
}

/* NULL = sites may be rewritten; or the reason why not. */
static const char *why_not(const struct elf *elf, const struct node *node)
{
        if (!strcmp(config.direct, "off"))
                return "direct=off";
        if (!node->kind->look || !node->kind->frame || node->kind->open)
                return "its file is not in memory";
        for (size_t i = 0; i < elf->segment_count; i++) {
                const struct elf_segment *s = &elf->segments[i];
                if (lies_in(s, SITES_AT, SITES_END))
                        return "it has something at 0x050f0000 itself";
                if (lies_in(s, FAR_AT, FAR_AT + PAGE_SIZE))
                        return "it has something at 0x3d480000 itself";
                if (s->flags & ELF_EXECUTE && !is_mapped_once(elf, s))
                        return "a page of its text is shared with another segment, or copied";
        }
        return is_shared(node) ? "its file is mapped shared" : NULL;
}

static void site_tell(const char *path, const struct sites *sites, const char *why)
{
        if (why)
                say("%s: its %u system calls stay SYSCALL: %s\n", path, sites->stay, why);
        else if (!strcmp(config.calls, "say"))
                say("%s: %u of its system calls are calls, %u stay SYSCALL\n", path, sites->calls,
                    sites->stay);
}

/* Finds the sites, or uses known ones; *sites = NULL: none. False = out of memory. */
static bool learn(struct sites **sites, const struct elf *elf, struct node *node, const char *path)
{
        if ((*sites = sites_of(node)))
                return true;
        const char *why = why_not(elf, node);
        if (why && strcmp(config.calls, "say"))
                return true;
        struct sites *found = find_sites(elf, node, !why);
        if (found)
                site_tell(path, found, why);
        if (found && !why && !sites_of(node))
                keep(found, node);
        else if (found) /* only counted, or another execve() was faster */
                free_sites(found);
        *sites = sites_of(node);
        return why || *sites;
}

unsigned sites_count(const struct node *node, uintptr_t start, uintptr_t end)
{
        const struct sites *sites = sites_of(node);
        unsigned count = 0;
        uintptr_t last = 0;
        for (unsigned i = 0; sites && i < sites->count; i++) {
                const struct site *records = DIRECT(sites->records[i / RECORDS]);
                uintptr_t back = records[i % RECORDS].back;
                interrupt_window();
                count += back != last && back > start && back <= end;
                last = back;
        }
        return count;
}

/* A page of an area without a file: mapped at once. */
static bool map_page(struct memory *memory, uintptr_t at, uintptr_t frame)
{
        pte_t *entry = space_reach(memory, at, 0);
        if (!entry)
                return false;
        frame_share(frame);
        *entry = frame | memory_area(memory, at)->entry;
        memory->resident++;
        return true;
}

/* A frame of 0 means the previous frame again. */
static bool map_pages(struct memory *memory, uintptr_t at, const uintptr_t *frames, size_t count)
{
        uintptr_t frame = 0;
        if (memory_map(memory, at, count * PAGE_SIZE, AREA_READ | AREA_READ_ONLY | AREA_CALLS))
                return false;
        for (size_t i = 0; i < count; i++) {
                frame = frames[i] ? frames[i] : frame;
                if (frame && !map_page(memory, at + i * PAGE_SIZE, frame))
                        return false;
        }
        return true;
}

static bool map_records(struct memory *memory, const struct sites *sites)
{
        size_t last = FORMS;
        while (last && !sites->any[last - 1])
                last--;
        return map_pages(memory, SITES_AT, sites->records,
                         (sites->count + RECORDS - 1) / RECORDS) &&
               (!last || map_pages(memory, ANY_AT, sites->any, last)) &&
               (!sites->far || map_pages(memory, FAR_AT, &sites->far, 1));
}

bool sites_prepare(struct memory *memory, const struct elf *elf, struct node *node,
                   const char *path, unsigned *text)
{
        struct sites *sites;
        *text = 0;
        if (!learn(&sites, elf, node, path))
                return false;
        if (!sites || !sites->count)
                return true;
        *text = AREA_CALLS;
        return map_records(memory, sites);
}

/* The row's stubs, the address where each is back on the program's stack, and its end. */
extern const uint8_t clean_trusted_site_standard_entry[], probed_trusted_site_standard_entry[],
        clean_site_row_out[], probed_site_row_out[], clean_trusted_site_common[],
        probed_trusted_site_common[];
static const struct row_stub {
        const uint8_t *start, *out, *end;
} row_stubs[] = {
        {clean_trusted_site_standard_entry, clean_site_row_out, clean_trusted_site_common},
        {probed_trusted_site_standard_entry, probed_site_row_out, probed_trusted_site_common},
};

/* NULL = in no row's stub. */
static const struct row_stub *row_stub_at(uintptr_t ip)
{
        for (size_t i = 0; i < sizeof row_stubs / sizeof *row_stubs; i++)
                if (ip >= (uintptr_t)row_stubs[i].start && ip < (uintptr_t)row_stubs[i].end)
                        return &row_stubs[i];
        return NULL;
}

/* The program's record for the site with this stub; NULL = none. */
static struct site *record_at(uintptr_t ip)
{
        uintptr_t at = ip - (uintptr_t)site_stubs;
        bool is_stub = at < SITES_MOST * SITE_STUB;
        return is_stub ? USER(struct site, SITES_AT + at / SITE_STUB * SITE_RECORD) : NULL;
}

/* Reads with a fix-up: another thread may have unmapped it. A trusted program's pages are
 * supervisor pages, so SMAP does not matter. */
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
        frame->ip = 0; /* an address that is never mapped */
}

/* Finds the start of the site whose code in site_any.asm was interrupted. */
static bool any_left(struct frame *frame)
{
        uintptr_t form = (frame->ip - (uintptr_t)any_sites) / ANY_SITE;
        return memory_read(cpu_current->memory, ANY_AT + form * PAGE_SIZE + ANY_START, &frame->ip,
                           sizeof frame->ip);
}

/* This is not a kernel stack: no fault can be fixed up. */
bool site_left(struct frame *frame)
{
        if (frame->ip - (uintptr_t)any_sites < sizeof any_sites)
                return any_left(frame);
        struct site site = site_row, *record = record_at(frame->ip);
        const struct row_stub *row = row_stub_at(frame->ip);
        if (!row && !record)
                return false;
        if (record && !memory_read(cpu_current->memory, (uintptr_t)record, &site, sizeof site))
                return false;
        if (row)
                site.start = site.back - LENGTH;
        uintptr_t in = frame->ip - (uintptr_t)site_stubs;
        bool out = row ? frame->ip >= (uintptr_t)row->out : in % SITE_STUB >= SITE_IN;
        frame->ip = out ? site.back : site.start;
        return true;
}
