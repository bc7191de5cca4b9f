/* launch.c - runs a program with the words in /words, ended by zeros, and ends as it does. */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
        static char text[8192], *words[64], *environment[] = {"PATH=/bin", "HOME=/tmp", 0};
        long size = read(open("/words", O_RDONLY), text, sizeof text - 1);
        int count = 0, status = 1;
        for (long i = 0; i < size && count < 63; i++)
                if (!i || !text[i - 1])
                        words[count++] = text + i;
        pid_t child = fork();
        if (!child) {
                execve(words[0], words, environment);
                _exit(127);
        }
        waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
