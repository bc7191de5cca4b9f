/*
 * codes.c - packs the records that it reads, a line each, as `codes` does (user/console/codes), and
 * writes the packed bytes in hexadecimal; with SIDE, then each code as a picture (plain PBM).
 *
 *      codes [SIDE] < RECORDS
 *      codes toll < RECORDS            writes those that belong to the toll
 */
#include "code.h"
#include "pack.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void draw(void)
{
        printf("P1 %u %u\n", code_size(), code_size());
        for (unsigned y = 0; y < code_size(); y++) {
                for (unsigned x = 0; x < code_size(); x++)
                        putchar('0' + code_dark(x, y));
                putchar('\n');
        }
}

int main(int argc, char **argv)
{
        static struct pack pack;
        static char line[2 * PACK_LINE];
        bool toll = argc > 1 && !strcmp(argv[1], "toll");
        while (fgets(line, sizeof line, stdin))
                if (toll)
                        fputs(pack_is_toll(line) ? line : "", stdout);
                else if (!pack_record(&pack, line, strcspn(line, "\n"))) {
                        puts("refused");
                        return 0;
                }
        if (toll)
                return 0;
        for (size_t i = 0; i < pack.length; i++)
                printf("%02x", pack.bytes[i]);
        putchar('\n');
        struct codes codes;
        if (argc < 2)
                return 0;
        if (!codes_plan(&codes, pack.bytes, pack.length, (unsigned)atoi(argv[1]))) {
                puts("no room");
                return 0;
        }
        for (unsigned i = 0; i < codes.count && code_make(&codes, i); i++)
                draw();
        return 0;
}
