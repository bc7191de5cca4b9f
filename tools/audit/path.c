/*
 * path.c - a TCG plugin that writes down the path from one RDTSC of a program to another, whatever
 * kernel runs below: each instruction in the order in which QEMU begins it.
 *
 * Arguments: pair=START:END, the addresses of two RDTSCs in hexadecimal; there may be several
 * pairs. log=FILE gets each span between the two of a pair, as two numbers of 4 bytes (which pair,
 * how many instructions), and 4 bytes for each instruction: its number. text=FILE gets a line for
 * each of these instructions: its number, its address, and what it is.
 *
 * An instruction that a fault cuts short has begun, and is there.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "plugin.h"

#define PAIRS 8
#define BUCKETS (1u << 20)

struct instruction {
        struct instruction *next; /* in its bucket */
        uint64_t address;
        char *text;
        uint32_t number;
        bool kept;
};

struct pair {
        uint64_t start, end;
};

static struct instruction *buckets[BUCKETS];
static struct pair pairs[PAIRS], *current;
static size_t pair_count;
static uint32_t numbers, *path;
static size_t length, room;
static struct instruction **of_path;
static FILE *output, *texts;

static void add(struct instruction *one)
{
        if (length == room) {
                room = room ? 2 * room : 1 << 16;
                of_path = realloc(of_path, room * sizeof *of_path);
                path = realloc(path, room * sizeof *path);
        }
        of_path[length] = one;
        path[length++] = one->number;
}

static void end(void)
{
        uint32_t head[] = {(uint32_t)(current - pairs), (uint32_t)length};
        fwrite(head, sizeof head, 1, output);
        fwrite(path, sizeof *path, length, output);
        for (size_t i = 0; i < length; i++)
                of_path[i]->kept = true;
        current = NULL;
}

static void pass(unsigned vcpu, void *one)
{
        (void)vcpu;
        if (current)
                add(one);
}

/* An RDTSC of a pair ends a span, begins one, or both. */
static void stamp(unsigned vcpu, void *data)
{
        struct instruction *one = data;
        if (current && current->end == one->address)
                end();
        for (size_t i = 0; i < pair_count; i++)
                if (pairs[i].start == one->address) {
                        current = &pairs[i];
                        length = 0;
                }
        pass(vcpu, one);
}

static bool is_stamp(const struct instruction *one)
{
        bool found = false;
        for (size_t i = 0; i < pair_count; i++)
                found |= one->address == pairs[i].start || one->address == pairs[i].end;
        return found && !strncmp(one->text, "rdtsc", 5);
}

/* The same address may have had another instruction before: of another program, or patched. */
static struct instruction *known(const struct qemu_plugin_insn *insn)
{
        uint64_t address = qemu_plugin_insn_vaddr(insn);
        struct instruction **bucket = &buckets[(address ^ address >> 20) % BUCKETS], *one = *bucket;
        char *text = qemu_plugin_insn_disas(insn);
        while (one && (one->address != address || strcmp(one->text, text)))
                one = one->next;
        if (!one) {
                one = calloc(1, sizeof *one);
                *one = (struct instruction){*bucket, address, strdup(text), numbers++, false};
                *bucket = one;
        }
        g_free(text);
        return one;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
        (void)id;
        for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
                struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
                struct instruction *one = known(insn);
                qemu_plugin_register_vcpu_insn_exec_cb(insn, is_stamp(one) ? stamp : pass,
                                                       QEMU_PLUGIN_CB_NO_REGS, one);
        }
}

static void finish(qemu_plugin_id_t id, void *nothing)
{
        (void)id, (void)nothing;
        for (size_t i = 0; i < BUCKETS; i++)
                for (const struct instruction *one = buckets[i]; one; one = one->next)
                        if (one->kept)
                                fprintf(texts, "%u %llx %s\n", one->number,
                                        (unsigned long long)one->address, one->text);
        fclose(output);
        fclose(texts);
}

static bool read_pair(const char *text)
{
        unsigned long long start, stop;
        if (pair_count == PAIRS || sscanf(text, "%llx:%llx", &start, &stop) != 2)
                return false;
        pairs[pair_count++] = (struct pair){start, stop};
        return true;
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
        bool good = true;
        (void)info;
        for (int i = 0; i < argc && good; i++) {
                if (!strncmp(argv[i], "pair=", 5))
                        good = read_pair(argv[i] + 5);
                else if (!strncmp(argv[i], "log=", 4))
                        output = fopen(argv[i] + 4, "wb");
                else if (!strncmp(argv[i], "text=", 5))
                        texts = fopen(argv[i] + 5, "w");
        }
        if (!good || !output || !texts)
                return 1;
        qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
        qemu_plugin_register_atexit_cb(id, finish, NULL);
        return 0;
}
