/* space.c - uses all space for files: on Tollgate only. */
#include "filecalls.h"

/* Makes as many links as possible, each with the longest target. */
static long fill_with_links(void)
{
        char name[16];
        long made = 0, error = 0;
        memset(buffer, 'x', 4094);
        buffer[4094] = 0;
        for (; !error; made++) {
                snprintf(name, sizeof name, "s%ld", made);
                error = SYS(symlink, buffer, name);
        }
        expect("symlink: no more space", error, -ENOSPC);
        return made - 1;
}

/* Names count like bytes: half of the memory stays free for programs. */
void try_room_of_names(void)
{
        const size_t part = 4 << 20;
        long first = fill_with_links();
        char *memory = (char *)mmap(0, part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
        for (size_t i = 0; i < part; i += PAGE_SIZE)
                memory[i] = 1; /* or the program dies here */
        munmap((uintptr_t)memory, part);
        for (int round = 0; round < 2; round++) {
                for (long i = 0; i < first; i++) {
                        char name[16];
                        snprintf(name, sizeof name, "s%ld", i);
                        SYS(unlink, name);
                }
                long again = round ? first : fill_with_links();
                check(again == first, "names", "%ld links, then %ld", first, again);
        }
}

/* A process has at most 32 pipes, and all processes at most the kernel's limit. */
void try_room_of_pipes(void)
{
        int ends[2], gate[2], ready[2];
        long made = 0, error = 0;
        SYS(pipe, gate);
        SYS(pipe, ready);
        for (int i = 0; i < 60 && !error; i++) {
                if (!fork()) {
                        long mine = 0;
                        while (!(error = SYS(pipe, ends)))
                                mine++;
                        long told[2] = {mine, error};
                        SYS(write, ready[1], told, sizeof told);
                        SYS(close, gate[1]);
                        SYS(read, gate[0], buffer, 1);
                        exit_group(0);
                }
                long told[2];
                SYS(read, ready[0], told, sizeof told);
                made += told[0];
                error = told[1] == -EMFILE ? 0 : told[1];
        }
        for (int i = 0; i < 2; i++) {
                SYS(close, gate[i]);
                SYS(close, ready[i]);
        }
        while (wait4(-1, NULL, 0, NULL) > 0)
                ;
        check(made == 1022 && error == -ENFILE, "pipes", "%ld of all processes, then %ld", made,
              error);
}

/* Files leave half of the memory to programs, and free all of it. */
void try_space(void)
{
        long part, first = 0, second = 0;
        for (long *total = &first; total; total = total == &first ? &second : NULL) {
                long fd = open_at("file", O_CREAT | O_WRONLY | O_TRUNC);
                while ((part = SYS(write, fd, buffer, sizeof buffer)) > 0)
                        *total += part;
                expect("write: no more space", part, -ENOSPC);
                SYS(close, fd);
                SYS(unlink, "file");
        }
        check(first > 1 << 20 && second == first, "space", "%ld bytes, then %ld", first, second);
}
