/* messages.c - sendmsg() and recvmsg(), and reads into several buffers. */
#include "sockets.h"

struct part {
        const void *at;
        size_t size;
};

/* struct msghdr */
struct message {
        void *name;
        uint32_t name_length;
        struct part *parts;
        size_t count;
        void *control;
        size_t control_length;
        int flags;
};

struct control {
        size_t length;
        int level, type;
        int fd;
};

static long send_parts(int fd, struct part *parts, size_t count, int flags)
{
        struct message message = {.parts = parts, .count = count};
        return SYS(sendmsg, fd, &message, flags);
}

static void try_control(int fd)
{
        struct part part = {"x", 1};
        struct control control = {sizeof(size_t) + 12, 77, 1, 0};
        struct message message = {.parts = &part, .count = 1, .control = &control};
        message.control_length = sizeof control;
        expect("what is nobody's is not looked at", SYS(sendmsg, fd, &message, 0), 1);
        control.length = 3;
        expect("shorter than its head", SYS(sendmsg, fd, &message, 0), -EINVAL);
        control.length = 1000;
        expect("longer than all", SYS(sendmsg, fd, &message, 0), -EINVAL);
        control = (struct control){sizeof(size_t) + 12, SOL_SOCKET, 1, 0};
        bool tollgate = SYS(toll_row, 0, text) != -ENOSYS; /* it cannot pass files */
        expect("SCM_RIGHTS", SYS(sendmsg, fd, &message, 0), tollgate ? -EINVAL : 1);
        message.control = (void *)8;
        expect("control from nowhere", SYS(sendmsg, fd, &message, 0), -EFAULT);
        control = (struct control){(size_t)-1, 77, 1, 0};
        message.control = &control;
        expect("longer than memory", SYS(sendmsg, fd, &message, 0), -EINVAL);
        struct control two[] = {{sizeof *two, 77, 1, 0}, {sizeof *two, 77, 1, 0}};
        message.control = two, message.control_length = sizeof two;
        expect("two of nobody's", SYS(sendmsg, fd, &message, 0), 1);
        two[1].length = 3;
        expect("the second is shorter than its head", SYS(sendmsg, fd, &message, 0), -EINVAL);
        message.control_length = (size_t)-1;
        expect("more than may come along", SYS(sendmsg, fd, &message, 0), -ENOBUFS);
}

static void try_receiving(int fd, struct part out[2])
{
        struct address address;
        struct message message = {.name = &address,
                                  .name_length = sizeof address,
                                  .parts = out,
                                  .count = 2,
                                  .control = text + 9000,
                                  .control_length = 100,
                                  .flags = 77};
        expect("recvmsg: peek", SYS(recvmsg, fd, &message, MSG_PEEK) >= 3, 1);
        message.name_length = sizeof address;
        expect("recvmsg", SYS(recvmsg, fd, &message, MSG_CMSG_CLOEXEC), 6);
        check(!memcmp(text, "one", 3) && !memcmp(text + 100, "two", 3), "recvmsg", "in parts");
        expect("recvmsg: flags", message.flags, MSG_CMSG_CLOEXEC);
        expect("recvmsg: no control", (long)message.control_length, 0);
        expect("recvmsg: whose", message.name_length, offsetof(struct address, path) + 9);
        expect("recvmsg: nothing", SYS(recvmsg, fd, &message, MSG_DONTWAIT), -EAGAIN);
        message.name_length = 0x80000000u;
        expect("recvmsg: less than none", SYS(recvmsg, fd, &message, MSG_DONTWAIT), -EINVAL);
        expect("recvmsg: from nowhere", SYS(recvmsg, fd, 8, 0), -EFAULT);
        message = (struct message){.parts = out, .count = 1025};
        expect("recvmsg: too many parts", SYS(recvmsg, fd, &message, 0), -EMSGSIZE);
}

void try_messages(void)
{
        struct part in[] = {{"on", 2}, {"", 0}, {"etw", 3}, {"o", 1}};
        struct part out[] = {{text, 3}, {text + 100, 3}};
        struct message message = {.parts = in, .count = 4, .name = text, .name_length = 16};
        int ends[2], listener = meet("messages", ends, 0), fd = fresh(0);
        expect("sendmsg", send_parts(ends[1], in, 4, 0), 6);
        try_receiving(ends[0], out);
        expect("sendmsg: no part", send_parts(ends[1], in, 0, 0), 0);
        expect("sendmsg: too many parts", send_parts(ends[1], in, 1025, 0), -EMSGSIZE);
        expect("sendmsg: parts nowhere", send_parts(ends[1], (void *)8, 1, 0), -EFAULT);
        expect("sendmsg: an address", SYS(sendmsg, ends[1], &message, 0), -EISCONN);
        expect("sendmsg: not connected", send_parts(fd, in, 4, 0), -ENOTCONN);
        expect("sendmsg: not connected, an address", SYS(sendmsg, fd, &message, 0), -EOPNOTSUPP);
        message = (struct message){.parts = out, .count = 2};
        expect("recvmsg: not connected", SYS(recvmsg, fd, &message, 0), -EINVAL);
        try_control(ends[1]);
        SYS(shutdown, ends[1], 1);
        expect("sendmsg: shut", send_parts(ends[1], in, 4, MSG_NOSIGNAL), -EPIPE);
        close(fd);
        close_both(ends);
        close(listener);
}

/* A read into several buffers does not wait for the second when the first is full. */
void try_vectors(void)
{
        struct part parts[] = {{text, 3}, {text + 100, 3}};
        int ends[2];
        SYS(socketpair, AF_UNIX, SOCK_STREAM, 0, ends);
        write(ends[1], "one", 3);
        expect("readv of a socket: what there is", SYS(readv, ends[0], parts, 2), 3);
        expect("writev", SYS(writev, ends[1], parts, 2), 6);
        expect("readv of a socket: all", SYS(readv, ends[0], parts, 2), 6);
        close_both(ends);
        pipe(ends);
        write(ends[1], "one", 3);
        expect("readv of a pipe: what there is", SYS(readv, ends[0], parts, 2), 3);
        close_both(ends);
}
