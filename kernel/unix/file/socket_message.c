/* socket_message.c - messages of several parts: sendmsg() and recvmsg(), in both widths. */
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "file/socket.h"
#include "file/vector.h"
#include "thread/user.h"
#include "calls.h"
#include "process/missing.h"

/* struct msghdr: words, two of which hold an int and padding. */
enum { NAME, NAME_LENGTH, PARTS, COUNT, CONTROL, CONTROL_LENGTH, FLAGS, FIELDS };
struct message {
        uintptr_t of[FIELDS], at;
};

static int read_message(struct message *message, uintptr_t from)
{
        message->at = from;
        if (user_get_words(message->of, from, FIELDS))
                return -EFAULT;
        if ((int32_t)message->of[NAME_LENGTH] < 0)
                return -EINVAL;
        return message->of[COUNT] > VECTORS_MOST ? -EMSGSIZE : 0;
}

static uintptr_t socket_message_place(uintptr_t message, unsigned field)
{
        return user_element(message, field, program_word());
}

#define CONTROL_MOST 20480 /* Linux's net.core.optmem_max */

/* The kernel supports no control message. struct cmsghdr: a word, two numbers, and bytes, padded to
 * a word. 0 = only ignored requests. */
static int check_control(const struct message *message)
{
        uintptr_t word = program_word(), head = word + 8, at = message->of[CONTROL], length;
        if (message->of[CONTROL_LENGTH] > CONTROL_MOST)
                return -ENOBUFS;
        for (uintptr_t left = message->of[CONTROL_LENGTH]; left >= head;) {
                int32_t level, type;
                interrupt_window();
                if (user_get_words(&length, at, 1) || user_get(&level, at + word) ||
                    user_get(&type, at + word + 4))
                        return -EFAULT;
                if (length < head || length > left)
                        return -EINVAL;
                if (level == SOL_SOCKET)
                        return (int)missing_request(MISSING_control, (uint32_t)type, -EINVAL);
                uintptr_t step = (length + word - 1) & -word;
                at += step;
                left -= step < left ? step : left;
        }
        return 0;
}

struct exchange {
        struct file *file;
        unsigned flags;
};

static long send_part(void *context, uintptr_t at, size_t size, size_t done)
{
        const struct exchange *exchange = context;
        return socket_send(exchange->file, at, size, exchange->flags | (done ? MSG_NOSIGNAL : 0));
}

/* Returns the available bytes, unless MSG_WAITALL. */
static long receive_part(void *context, uintptr_t at, size_t size, size_t done)
{
        const struct exchange *exchange = context;
        const struct socket *socket = exchange->file->data;
        bool more = socket->in != socket->out;
        if (done && (exchange->flags & MSG_PEEK || (!more && !(exchange->flags & MSG_WAITALL))))
                return 0;
        return socket_receive(exchange->file, at, size, exchange->flags);
}

static long send_message(struct file *file, const struct message *message, unsigned flags)
{
        struct exchange exchange = {file, flags};
        const struct socket *socket = file->data;
        int error = check_control(message);
        if (error)
                return error;
        if (message->of[NAME] && (uint32_t)message->of[NAME_LENGTH])
                return socket->state == SOCKET_CONNECTED ? -EISCONN : -EOPNOTSUPP;
        long refused = socket_may_send(socket, flags);
        return refused ? refused
                       : vectors_each(message->of[PARTS], message->of[COUNT], NULL, send_part,
                                      &exchange);
}

/* Writes the sender's address, and a control length of zero. */
static int write_message(const struct message *message, const struct socket *socket, long done,
                         unsigned flags)
{
        const uintptr_t none = 0, to = message->at;
        const struct socket_name *name = done ? socket_peer_name(socket) : NULL;
        uint32_t kept = flags & MSG_CMSG_CLOEXEC;
        if (message->of[NAME] &&
            socket_name_write(name, 0, message->of[NAME], socket_message_place(to, NAME_LENGTH)))
                return -EFAULT;
        return user_put(socket_message_place(to, FLAGS), &kept) ||
                               user_put_words(socket_message_place(to, CONTROL_LENGTH), &none, 1)
                       ? -EFAULT
                       : 0;
}

static long receive_message(struct file *file, const struct message *message, unsigned flags)
{
        struct exchange exchange = {file, flags};
        const struct socket *socket = file->data;
        if (socket->state != SOCKET_CONNECTED)
                return -EINVAL;
        long done =
                vectors_each(message->of[PARTS], message->of[COUNT], NULL, receive_part, &exchange);
        int error = done < 0 ? 0 : write_message(message, socket, done, flags);
        return error ? error : done;
}

/* Gives a message to send_message() or receive_message(). */
static long exchange_message(long fd, long at, long flags,
                             long (*act)(struct file *, const struct message *, unsigned))
{
        int error;
        struct message message;
        struct file *file = socket_of(fd, &error); /* held */
        if (!file)
                return error;
        long result = read_message(&message, (uintptr_t)at);
        if (!result)
                result = flags & MSG_OOB ? missing_request(MISSING_message, MSG_OOB, -EOPNOTSUPP)
                                         : act(file, &message, (unsigned)flags);
        file_release(file);
        return result;
}

long sys_sendmsg(long fd, long at, long flags, AFTER_3)
{
        return exchange_message(fd, at, flags, send_message);
}

long sys_recvmsg(long fd, long at, long flags, AFTER_3)
{
        return exchange_message(fd, at, flags, receive_message);
}
