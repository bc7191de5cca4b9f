/* log.c - /dev/kmsg, all text shown on the console, and /dev/records, this run's records: as they
 * were when the file was opened. So printing the text on the console ends. */
#include "cpu/window.h"
#include "machine/console.h"
#include "dev/log.h"
#include "errno.h"
#include "file/file.h"
#include "thread/user.h"

#define PIECE 256

static const struct log *log_of(const struct file *file)
{
        return file->kind == &kmsg_kind ? &log_text : &log_records;
}

/* file->number: the log's length at the open. It fits into 32 bits. */
int log_open(struct file *file)
{
        file->number = (uint32_t)log_of(file)->end;
        file->position = log_of(file)->start;
        return 0;
}

static long log_file_read(struct file *file, uintptr_t to, size_t size)
{
        const struct log *log = log_of(file);
        uint32_t past = (uint32_t)log->end - file->number; /* came since */
        uint64_t from = file->position, end = log->end - past;
        long done = 0;
        while (size) {
                char text[PIECE];
                size_t part = log_read(log, &from, end, text, size < PIECE ? size : PIECE);
                if (!part)
                        break;
                if (user_write(to, text, part))
                        return done ? done : -EFAULT;
                file->position = from;
                to += part;
                size -= part;
                done += (long)part;
                if (size && !work_goes_on())
                        break;
        }
        return done;
}

const struct file_kind kmsg_kind = {"kmsg", .read = log_file_read};
/* Whatever is written, all records are sent over the serial line once more. Other threads run
 * between two records, and may print. */
static long again(struct file *file, uintptr_t from, size_t size)
{
        const uint64_t end = log_records.end;
        char piece[PIECE];
        size_t part;
        console_again(NULL, 0);
        for (uint64_t at = 0; (part = log_read(&log_records, &at, end, piece, sizeof piece));) {
                size_t whole = part;
                while (whole && piece[whole - 1] != '\n')
                        whole--;
                if (whole) {
                        console_again(piece, whole);
                        if (!work_goes_on())
                                break;
                        console_again(NULL, 0);
                }
                if (whole < part)
                        console_again(piece + whole, part - whole);
        }
        return (long)size;
}

const struct file_kind records_kind = {"records", .read = log_file_read, .write = again};
