/* sockets.c - a pair of stream sockets by a libc's functions. */
#include "answers.h"
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

void ask_sockets(void)
{
        char text[16] = "";
        int pair[2], no[2];
        struct stat about;
        signal(SIGPIPE, SIG_IGN);
        ASK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
        ASK(socketpair(AF_UNIX, SOCK_STREAM, 99, no));
        ASK(socketpair(99, SOCK_STREAM, 0, no));
        ASK(fstat(pair[0], &about));
        ASK(S_ISSOCK(about.st_mode));
        ASK(send(pair[0], "hello", 5, 0));
        ASK(recv(pair[1], text, 2, MSG_PEEK));
        ASK(recv(pair[1], text, sizeof text, 0));
        note("recv()", text);
        ASK(recv(pair[1], text, 1, MSG_DONTWAIT));
        ASK(sendto(pair[1], "back", 4, MSG_NOSIGNAL, NULL, 0));
        ASK(recvfrom(pair[0], text, 4, MSG_WAITALL, NULL, NULL));
        ASK(send(1, "x", 1, 0) < 0);
        ASK(shutdown(pair[0], SHUT_WR));
        ASK(send(pair[0], "x", 1, 0));
        ASK(recv(pair[1], text, 1, 0));
        ASK(send(pair[1], "x", 1, 0));
        ASK(close(pair[0]));
        ASK(recv(pair[1], text, 1, 0));
        ASK(close(pair[1]));
        signal(SIGPIPE, SIG_DFL);
}
