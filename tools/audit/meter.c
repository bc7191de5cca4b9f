/* meter.c - a second meter: a TCG plugin that counts instructions as QEMU begins them,
 * independently of time-stamp counters and records. It logs the count at each of its points.
 *
 * Arguments: points=FILE, the addresses of points in the order of their numbers, 8 bytes each;
 * log=FILE, the output: for each point that was passed, and for each RDTSC, the address (8 bytes)
 * and how many instructions had begun before it (8 bytes). Of an RDTSC in a loop with nothing else
 * only the first and the last are logged; the last one's count has its highest bit set.
 *
 * An instruction that faults has begun, although QEMU's own counter (-icount) leaves it out. If the
 * fault is a failed code fetch, no instruction has begun. So a count has its second highest bit set
 * if the instruction before it was a return or a jump, which led to the fault, or one that does not
 * begin again: a call, or a program's last instruction before the next page. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "plugin.h"

#define NEAR 50000 /* instructions: a loop that reads the clock repeats it within them */

#define LOOPED ((uint64_t)1 << 63)
#define LED ((uint64_t)1 << 62)
#define KERNEL 0xc0000000 /* addresses from here on are the kernel's, for both kernels */

static uint64_t begun;
static uint64_t led;             /* instructions begun after the last return or jump */
static uint64_t called, waiting; /* of the last one, if it may begin again; awaited */
static long place;               /* position of the next event in the log ... */
static uint64_t stopped[2];      /* ... and its contents if the instruction was stopped */
static uint64_t last[2];         /* RDTSC of a loop, not written yet, if it has an address */
static FILE *output;
static uint64_t *points;
static size_t count;

static void write_last(void)
{
        if (last[0])
                fwrite(last, sizeof last, 1, output);
        last[0] = 0;
}

static void note(unsigned vcpu, void *address)
{
        uint64_t event[] = {(uint64_t)(uintptr_t)address, begun | (led == begun ? LED : 0)};
        write_last();
        if (event[1] & LED && called) {
                waiting = called;
                place = ftell(output);
                stopped[0] = event[0];
                stopped[1] = begun;
        }
        begun++;
        fwrite(event, sizeof event, 1, output);
}

/* RDTSC. In a loop only the first and the last are written. */
static void read_clock(unsigned vcpu, void *address)
{
        static uint64_t before[2];
        uint64_t event[] = {(uint64_t)(uintptr_t)address, begun};
        if (event[0] != before[0] || begun - before[1] > NEAR || (last[0] && last[0] != event[0])) {
                note(vcpu, address);
        } else {
                last[0] = event[0];
                last[1] = event[1] | LOOPED;
                begun++;
        }
        memcpy(before, event, sizeof before);
}

static void pass(unsigned vcpu, void *nothing)
{
        begun++;
}

/* A program's instruction that begins again was stopped; after any other it was not. */
static void end_waiting(uint64_t address)
{
        if (!waiting || address >= KERNEL)
                return;
        if (waiting == address) {
                fseek(output, place, SEEK_SET);
                fwrite(stopped, sizeof stopped, 1, output);
                fseek(output, 0, SEEK_END);
        }
        waiting = 0;
}

/* A return or a jump. */
static void lead(unsigned vcpu, void *address)
{
        end_waiting((uint64_t)(uintptr_t)address);
        called = 0;
        led = ++begun;
}

static void call(unsigned vcpu, void *address)
{
        lead(vcpu, address);
        called = (uint64_t)(uintptr_t)address;
}

/* Whether the instruction, of at most 15 bytes, may be followed by the program's next page. */
static bool ends_page(const struct qemu_plugin_insn *insn)
{
        uint64_t end = qemu_plugin_insn_vaddr(insn) + qemu_plugin_insn_size(insn);
        return end < KERNEL && (end - 1) % 4096 + 15 >= 4096;
}

static void (*callback_of(const struct qemu_plugin_insn *insn, bool is_point))(unsigned, void *)
{
        static const char *const leading[] = {"ret", "iret", "sysret", "sysexit", "lret", "j"};
        char *text = qemu_plugin_insn_disas(insn);
        void (*found)(unsigned, void *) = is_point                     ? note
                                          : !strncmp(text, "rdtsc", 5) ? read_clock
                                                                       : pass;
        for (size_t i = 0; found == pass && i < sizeof leading / sizeof *leading; i++)
                if (!strncmp(text, leading[i], strlen(leading[i])))
                        found = lead;
        if (found == pass &&
            (!strncmp(text, "call", 4) || !strncmp(text, "lcall", 5) || ends_page(insn)))
                found = call;
        g_free(text);
        return found;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
        for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
                struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
                uint64_t address = qemu_plugin_insn_vaddr(insn);
                bool is_point = bsearch(&address, points, count, sizeof address, compare);
                qemu_plugin_register_vcpu_insn_exec_cb(insn, callback_of(insn, is_point),
                                                       QEMU_PLUGIN_CB_NO_REGS,
                                                       (void *)(uintptr_t)address);
        }
}

static void finish(qemu_plugin_id_t id, void *nothing)
{
        write_last();
        fclose(output);
}

static bool read_points(const char *path)
{
        FILE *file = fopen(path, "rb");
        if (!file)
                return false;
        fseek(file, 0, SEEK_END);
        count = (size_t)ftell(file) / sizeof *points;
        rewind(file);
        points = calloc(count + 1, sizeof *points);
        bool whole = points && fread(points, sizeof *points, count, file) == count;
        fclose(file);
        qsort(points, count, sizeof *points, compare);
        return whole;
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
        bool have_points = false;
        for (int i = 0; i < argc; i++) {
                if (!strncmp(argv[i], "points=", 7))
                        have_points = read_points(argv[i] + 7);
                else if (!strncmp(argv[i], "log=", 4))
                        output = fopen(argv[i] + 4, "wb");
        }
        if (!have_points || !output)
                return 1;
        qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
        qemu_plugin_register_atexit_cb(id, finish, NULL);
        return 0;
}
