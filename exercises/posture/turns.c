/* turns.c - what a switch to a program of another origin costs: the instructions of a byte's way
 * there and back through pipes. With TLS, and after a choice that was given back. */
#include "linux.h"
#include "tls.h"
#include "toll.h"

#define ROUNDS 20
#define TO 100
#define BACK 101

static void answer(void)
{
        for (char byte; read(TO, &byte, 1) == 1;)
                write(BACK, &byte, 1);
}

static long least(int to, int back)
{
        long found = 1000000;
        for (int i = 0; i < ROUNDS; i++) {
                char byte = 0;
                uint64_t began = tsc();
                write(to, &byte, 1);
                read(back, &byte, 1);
                long took = (long)(tsc() - began);
                found = took < found ? took : found;
        }
        return found;
}

int main(int argc, char **argv)
{
        static long own;
        char path[64];
        int to[2], back[2];
        output_through(toll_call);
        if (argc > 1 && !strcmp(argv[1], "answer"))
                answer();
        if (strncmp(argv[0], "/bin/", 5))
                return 0;
        snprintf(path, sizeof path, "/trusted/%s", argv[0] + 5);
        pipe(to);
        pipe(back);
        long child = fork();
        if (!child) {
                dup2(to[0], TO);
                dup2(back[1], BACK);
                execve(path, (char *[]){path, "answer", NULL}, (char *[]){NULL});
        }
        long plain = least(to[1], back[0]);
        row_choose("/callgate/standard");
        least(to[1], back[0]);
        toll_call(NUMBER_toll_select, TOLL_DEFAULT);
        long again = least(to[1], back[0]);
        check(again == plain, "a choice given back", "%ld more", again - plain);
        bool there = tls_point(&own);
        check(there, "with TLS", "%ld more", least(to[1], back[0]) - plain);
        kill(child, SIGKILL);
        return check_status();
}
