/* socket.c - sockets at random: pairs, names, listeners, messages with descriptors in them. */
#include "grammar.h"
#include "linux.h"

static const struct language language;

static long child(struct random *random)
{
        return grammar_fork(random, &language);
}

static const struct form forms[] = {
        FORM(socket, "www"),
        FORM(socket, "1S"),
        FORM(socket, "1S"),
        FORM(socketpair, "ewxb"),
        FORM(socketpair, "1S0b"),
        FORM(bind, "fal"),
        FORM(bind, "fal"),
        FORM(listen, "fn"),
        FORM(listen, "fn"),
        FORM(connect, "fal"),
        FORM(connect, "fal"),
        FORM(accept4, "faLw"),
        FORM(accept4, "f00S"),
        FORM(sendto, "fbzwal"),
        FORM(recvfrom, "fbzwaL"),
        FORM(sendmsg, "fmw"),
        FORM(sendmsg, "fmw"),
        FORM(recvmsg, "fmw"),
        FORM(recvmsg, "fmw"),
        FORM(shutdown, "fn"),
        FORM(getsockname, "faL"),
        FORM(getpeername, "faL"),
        FORM(getsockopt, "fewbL"),
        FORM(setsockopt, "fwwbz"),
        FORM(setsockopt, "fewbn"),
        FORM(read, "fbz"),
        FORM(write, "fbz"),
        FORM(readv, "fvn"),
        FORM(writev, "fvn"),
        FORM(poll, "one"),
        FORM(close, "f"),
        FORM(close, "f"),
        FORM(dup, "f"),
        FORM(dup2, "ff"),
        FORM(fcntl, "fwf"),
        FORM(ioctl, "fwb"),
        FORM(open, "pw"),
        FORM(unlink, "p"),
        FORM(rename, "pp"),
        FORM(link, "pp"),
        FORM(sendfile, "ff0z"),
        {"fstat", LIBC_fstat, "fb", NULL},
        DEED(child),
        DEED(grammar_kill),
        DEED(grammar_reap),
};

static const char *const paths[] = {"s0", "s1", "s2", "s3", "s4", "s5", ".", "s%u"};

static const uintptr_t words[] = {
        0,
        AF_UNIX,
        SOCK_STREAM,
        SOCK_STREAM | O_NONBLOCK,
        SOCK_STREAM | O_NONBLOCK | O_CLOEXEC,
        O_NONBLOCK,
        O_CLOEXEC,
        MSG_PEEK,
        MSG_DONTWAIT,
        MSG_DONTWAIT | MSG_NOSIGNAL,
        MSG_WAITALL,
        MSG_CMSG_CLOEXEC | MSG_DONTWAIT,
        SO_PASSCRED,
        SO_PEERCRED,
        SO_ERROR,
        SO_SNDBUF,
        SO_RCVBUF,
        SO_ACCEPTCONN,
        F_DUPFD,
        F_SETFL,
        0x541b, /* FIONREAD */
        0x5421, /* FIONBIO */
        99,
};

static const struct language language = LANGUAGE(forms, paths, words);

static unsigned act(struct random *random)
{
        return grammar_act(random, &language);
}

GRAMMAR_KIND(socket, grammar_init, grammar_end);
