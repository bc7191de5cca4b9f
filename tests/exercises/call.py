"""The model solution: a table line, and a function."""

from tollgate.teach.edits import Edits
from tollgate.teach.exercises import Own

FILE = "kernel/unix/process/identity.c"
FUNCTION = """\
long sys_toll_whoami(long to, long size, AFTER_2)
{
        const char *path = task()->process->path;
        const uint32_t stamp = %#x;
        size_t length = strlen(path) + 1, whole = length + sizeof stamp;
        if (whole > (size_t)size)
                return -ERANGE;
        int error = user_write((uintptr_t)to, path, length);
        error = error ? error : user_write((uintptr_t)to + length, &stamp, sizeof stamp);
        return error ? error : (long)whole;
}

"""


def solve(edits: Edits, own: Own) -> None:
    number = own["number"]
    edits.before(FILE, "long sys_setsid(AFTER_0)", FUNCTION % own["mark"])
    edits.before(
        "kernel/unix/sys.def", "CALL(reboot, 88, 169)", f"CALL(toll_whoami, {number}, {number})\n"
    )
