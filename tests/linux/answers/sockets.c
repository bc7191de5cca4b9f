/* sockets.c - stream sockets by a libc's functions: a pair, and by path. */
#include "answers.h"
#include <poll.h>
#include <sys/socket.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/un.h>

static void ask_by_path(void)
{
        struct sockaddr_un address = {AF_UNIX, "answers.socket"}, peer = {0};
        struct iovec parts[] = {{"in ", 3}, {"parts", 5}};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
        socklen_t length = sizeof peer, size = sizeof(int);
        char text[16] = "";
        int type = 0, listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        int client = socket(AF_UNIX, SOCK_STREAM, 0);
        struct stat about;
        ASK(connect(client, (struct sockaddr *)&address, sizeof address));
        ASK(bind(listener, (struct sockaddr *)&address, sizeof address));
        ASK(connect(client, (struct sockaddr *)&address, sizeof address));
        ASK(listen(listener, 1));
        ASK(connect(client, (struct sockaddr *)&address, sizeof address));
        int server = accept(listener, NULL, NULL);
        ASK(server == client + 1);
        ASK(getpeername(client, (struct sockaddr *)&peer, &length));
        note("getpeername()", peer.sun_path);
        ASK(length);
        ASK(getsockname(client, (struct sockaddr *)&peer, &length));
        ASK(length);
        ASK(getsockopt(client, SOL_SOCKET, SO_TYPE, &type, &size));
        ASK(type);
        ASK(sendmsg(client, &message, 0));
        parts[0] = (struct iovec){text, 2};
        parts[1] = (struct iovec){text + 2, 10};
        ASK(recvmsg(server, &message, 0));
        note("recvmsg()", text);
        ASK(stat(address.sun_path, &about));
        ASK(about.st_mode);
        ASK(open(address.sun_path, O_RDWR));
        ASK(close(listener));
        ASK(connect(client, (struct sockaddr *)&address, sizeof address));
        ASK(unlink(address.sun_path));
        ASK(close(server));
        ASK(recv(client, text, 1, 0));
        ASK(close(client));
}

void ask_sockets(void)
{
        ask_by_path();
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
