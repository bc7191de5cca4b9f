"""/proc as unmodified programs read it; the suite procfs tests its promises (test_kinds.py)."""

import re

from ..person import Person

PS = "busybox ps -o pid,ppid,comm,args"
LOOKED = {
    "ps": PS,
    "top": "busybox top -b -n1",
    "free": "busybox free; busybox grep -E '^Mem(Total|Free)' /proc/meminfo",
    "uptime": "busybox uptime",
    "flags": "busybox grep flags /proc/cpuinfo",
    "exe": "busybox readlink /proc/self/exe",
    "hostname": "busybox hostname other; cat /proc/sys/kernel/hostname; busybox uname -n",
    "written": "echo third > /proc/sys/kernel/hostname; busybox hostname",
    "ours": "ls /proc/self; wc -l /proc/version; cat /proc/sys/kernel/ostype; ls /proc/self/fd",
    "kinds": "ls -l /dev/null /dev/ptmx /dev/console /proc/version; ls /dev/pts; cat /dev/null; "
    "wc -c < /dev/null; echo a b | cat | wc; wc /proc/sys/kernel/ostype; head -c 0 /dev/zero; "
    "cat /dev/pts/0 2>&1; cat /proc 2>&1; wc /dev/pts 2>&1",
}


def test_an_unmodified_program_sees_what_it_expects(person: Person, busybox: bytes) -> None:
    said = person.tries("amd64", LOOKED, {"bin/busybox": busybox})
    header, *lines = said["ps"].splitlines()
    assert header.split() == ["PID", "PPID", "COMMAND", "COMMAND"]
    rows = [line.split(maxsplit=3) for line in lines]
    assert rows[0][:3] == ["1", "0", "init"]
    assert rows[-1][2:] == ["busybox", PS]
    parents = {row[0]: row[1] for row in rows}
    assert all(parent in {"0", *parents} for parent in parents.values())
    top = said["top"].splitlines()
    assert re.fullmatch(r"Mem: \d+K used, \d+K free, \d+K shrd, 0K buff, \d+K cached", top[0])
    assert re.match(r"CPU: +\d+% usr +\d+% sys ", top[1])
    assert re.fullmatch(r"Load average: 0\.\d\d 0\.\d\d 0\.\d\d \d+/\d+ \d+", top[2])
    assert any(line.split()[3] == "R" and "top" in line for line in top[4:])
    numbers = [int(n) for n in re.findall(r"\d+", said["free"].partition("Mem:")[2])]
    total, used, free, _, cached = numbers[:5]
    assert total == used + free + cached
    assert f"MemTotal: {total:>14} kB" in said["free"]
    assert re.search(
        r" up 0 min, +0 users, +load average: 0\.\d\d, 0\.\d\d, 0\.\d\d", said["uptime"]
    )
    flags = said["flags"].split()
    assert flags[2:4] == ["fpu", "de"] and flags[-2:] == ["adx", "smap"]
    assert {"syscall", "nx", "abm", "hypervisor", "smap"} <= {*flags} and "." not in flags
    assert said["exe"] == "/bin/busybox\n"
    assert said["hostname"] == "other\nother\n"
    assert said["written"] == "third\n"
    assert said["ours"] == (
        "cmdline\ncwd\nenviron\nexe\nfd\nlimits\nmaps\nmounts\nstat\nstatm\nstatus\n"
        "1 /proc/version\nTollgate\n0\n1\n2\n3\n"
    )
    assert said["kinds"].splitlines() == [
        "crw-rw-rw-   1        0 /dev/null",
        "crw-rw-rw-   1        0 /dev/ptmx",
        "crw-rw-rw-   1        0 /dev/console",
        "-r--r--r--   1        0 /proc/version",
        "0",
        "1 2 4",
        "1 1 9 /proc/sys/kernel/ostype",
        "cat: /dev/pts/0: no such file or directory",
        "cat: /proc: is a directory",
        "wc: /dev/pts: is a directory",
    ]
