"""Budgets derived from others: the shares of a gate and a file add up, so only these are stored.

Each rule defines rows as sums.  A row in tests/budgets.toml takes precedence, so rows that no rule
gives exactly are there; tests/self/test_budgets.py checks that no others are.  A new gate needs
only its toll rows in the file.
"""

from collections.abc import Callable, Iterator
from operator import mul

from tollgate.records.kernel_tables import listed
from tollgate.records.parts import ends

Budget = list[int] | dict[str, int]
"""The total and the sections; or a figure by compiler, and `most` for other compilers."""
Rows = dict[str, dict[str, Budget]]
"""The cost of each row of each suite, by its suite and its id, on one kernel."""
Part = tuple[int, str, str]
"""A row that is added (1) or subtracted (-1)."""
Rule = tuple[str, str, tuple[Part, ...]]
"""A row of a suite, and its summands."""
Say = Callable[[str, str, Budget], Budget]
"""Turns a rule's figure into a row's budget."""

MOST = "most"
ROOM = 10
"""Percent by which `most` exceeds a figure at least: compilers differ."""

READ = {"user": "read", "compat": "read", "trusted": "int80"}
"""The row of the suite `ladder` with the default gate of a program."""
NOT_READ = ("samestack", "site")
"""Gates without reads in the ladder."""
CALLS = {"int80": "int", "syscall": "syscall", "direct": "call"}
"""The gates in the suite `calls`, under their names in the toll."""
NULL, SYS_READ = "null", "kernel/sys_read"
ENTERED = (
    ("calls", "compat trusted", "int", {"getpid/int80": 1, "getppid/int80": 1}),
    ("calls", "compat trusted", "int", {"empty-null/int80": 1, "empty-zero/int80": 1}),
    ("vsyscall", "trusted", "int", {"gettimeofday/int": 1, "time/int": 1, "clock_gettime/int": 1}),
    ("switch", "trusted", "int", {"ipc/hand": 2, "ipc/hand-first": 2}),
    ("switch", "trusted", "own", {"turn/yield-alone": 1, "turn/yield": 2, "turn/futex": 4}),
    ("switch", "trusted", "own", {"ipc/pipe": 4, "ipc/pipe-64": 4, "ipc/pipe-4096": 4}),
    ("switch", "trusted", "own", {"ipc/pipe-tls": 4}),
    ("html", "compat trusted", "read", {"printed/1": 1, "rewound/1": 1}),
    ("html", "trusted", "read", {"parse/1000": 0}),
    ("usystime", "compat trusted", "own", {"usystime/rdtsc": 0}),
    ("usystime", "trusted", "own", {"usystime/getpid": 1, "usystime/read": 1}),
    ("around", "trusted", "own", {"around/getpid": 1, "around/read": 1, "around/clock": 0}),
    ("around", "trusted", "int", {"around/hand": 2}),
    ("starve", "compat", "int", {"starve/push": 0}),
)
"""Paths of a suite that in these origins differ from ring 3's only by the gate, and how often they
pass it.  The gate is INT 80h (`int`), the one of the origin's library (`own`), or of its read
(`read`)."""


def with_room(figure: int) -> int:
    """The smallest `most` for a figure."""
    return figure + figure * ROOM // 100


def gates(rows: Rows, origin: str) -> list[str]:
    """The gates of this origin."""
    start, end = f"{origin}/", "/standard"
    return [
        row.removeprefix(start).removesuffix(end)
        for row in rows.get("toll", {})
        if row.startswith(start) and row.endswith(end)
    ]


def by_gate(suite: str, base: str, own: str, other: str, times: int = 1) -> tuple[Part, ...]:
    """The path of `base`, a row of the suite, with another gate: `ORIGIN/GATE`."""
    toll = (1, "toll", f"{other}/standard"), (-1, "toll", f"{own}/standard")
    return ((1, suite, base), *toll * times)


def gate_of(arch: str, origin: str, which: str) -> str:
    """A gate in `ENTERED`, under its name in the toll."""
    by_syscall = which != "int" and arch == "amd64" and origin != "compat"
    return (
        f"{origin}/syscall"
        if by_syscall and (which, origin) != ("read", "trusted")
        else f"{origin}/int"
    )


def entered(rows: Rows, arch: str) -> Iterator[Rule]:
    """A path from another origin that differs only by the gate."""
    for suite, origins, which, paths in ENTERED:
        for origin in [each for each in origins.split() if gates(rows, each)]:
            own, other = gate_of(arch, "user", which), gate_of(arch, origin, which)
            for path, times in paths.items():
                yield suite, f"{origin}/{path}", by_gate(suite, f"user/{path}", own, other, times)


def around(rows: Rows, arch: str) -> Iterator[Rule]:
    """Conditions do not add up on short paths; from ring 0 a fault costs a constant amount more."""
    for path, plain in (("fault", "fault/zero"), ("segv", "signal/segv")):
        ring = (1, "faults", f"trusted/{plain}"), (-1, "faults", f"user/{plain}")
        parts = (1, "around", f"user/around/{path}"), *ring
        yield "around", f"trusted/around/{path}", parts
    for row in [row for row in rows.get("around", {}) if "/around/" in row]:
        origin, _, path = row.split("/")
        if path in ("getpid", "read", "clock", "fault", "segv"):
            yield "around", f"{origin}/together/{path}", ((1, "around", row),)


def ladder(rows: Rows, arch: str) -> Iterator[Rule]:
    """A gate and an empty read of /dev/null; and the difference of each other kind of file."""
    for origin, read in READ.items():
        own, base = gate_of(arch, origin, "read"), f"{origin}/{read}/{NULL}"
        if origin != "user" and gates(rows, origin):
            user = f"user/{READ['user']}/{NULL}"
            yield "ladder", base, by_gate("ladder", user, gate_of(arch, "user", "read"), own)
        for gate in gates(rows, origin):
            absent = (arch, gate) == ("amd64", "sysenter")  # from the machine with these budgets
            if f"{origin}/{gate}" != own and gate not in NOT_READ and not absent:
                parts = by_gate("ladder", base, own, f"{origin}/{gate}")
                yield "ladder", f"{origin}/read-{gate}/{NULL}", parts
    there = rows.get("ladder", {})
    kinds = [row.rpartition("/")[2] for row in there if row.startswith(f"{SYS_READ}/")]
    for base in [row for row in there if row.endswith(f"/{NULL}") and SYS_READ not in row]:
        head = base.removesuffix(f"/{NULL}")
        for kind in kinds:
            if kind != NULL:
                above = (1, "ladder", f"{SYS_READ}/{kind}"), (-1, "ladder", f"{SYS_READ}/{NULL}")
                yield "ladder", f"{head}/{kind}", ((1, "ladder", base), *above)


def files(rows: Rows, arch: str) -> Iterator[Rule]:
    """These rows are the ladder's reads, measured by another suite."""
    for row in rows.get("ladder", {}):
        if row.split("/")[1] in ("read", "int80", "sys_read", "file_read"):
            yield "files", row, ((1, "ladder", row),)


def vsyscall(rows: Rows, arch: str) -> Iterator[Rule]:
    """The time by another gate; `retry`: each further look at the page costs the same; and
    functions, which cost the same in both rings."""
    for base in [row for row in rows.get("vsyscall", {}) if row.endswith("/int")]:
        origin, path, own = base.split("/")
        for gate in gates(rows, origin):
            if gate not in (own, "site") and (path, gate) != ("bad", "samestack"):
                row = f"{origin}/{path}/{gate}"
                parts = by_gate("vsyscall", base, f"{origin}/{own}", f"{origin}/{gate}")
                yield "vsyscall", row, parts
    for none in [row for row in rows.get("vsyscall", {}) if row.endswith("/gettimeofday/function")]:
        origin = none.partition("/")[0]
        yield "vsyscall", f"{origin}/retry/0", ((1, "vsyscall", none),)
        look = (1, "vsyscall", f"{origin}/retry/1"), (-1, "vsyscall", none)
        yield "vsyscall", f"{origin}/retry/10", ((1, "vsyscall", none), *look * 10)
    for row in [row for row in rows.get("vsyscall", {}) if row.startswith("user/")]:
        _, path, how = row.split("/")
        if (path != "bad" and how in ("function", "twin")) or path in ("rdtsc", "retry", "writer"):
            yield "vsyscall", f"trusted/{path}/{how}", ((1, "vsyscall", row),)
        if path in ("rdtsc", "writer") and gates(rows, "compat"):
            yield "vsyscall", f"compat/{path}/{how}", ((1, "vsyscall", row),)


def calls(rows: Rows, arch: str) -> Iterator[Rule]:
    """A call by another gate than INT 80h; and our file, read like /dev/zero."""
    for zero in [row for row in rows.get("calls", {}) if row.endswith("/empty-zero/int80")]:
        yield "calls", zero.replace("zero", "file"), ((1, "calls", zero),)
    for base in [row for row in rows.get("calls", {}) if row.endswith("/int80")]:
        origin, call, own = base.split("/")
        for way, gate in CALLS.items():
            syscall_32 = way == "syscall" and (arch == "i386" or origin == "compat")
            if way != own and gate in gates(rows, origin) and not syscall_32:
                row = f"{origin}/{call}/{way}"
                parts = by_gate("calls", base, f"{origin}/int", f"{origin}/{gate}")
                yield "calls", row, parts


def html(rows: Rows, arch: str) -> Iterator[Rule]:
    """All five reads, and the read by that way alone, cost what the first one does."""
    for first in [row for row in rows.get("html", {}) if row.endswith("/rewound/1")]:
        if (origin := first.partition("/")[0]) in READ:
            yield "html", f"{origin}/{READ[origin]}/1000", ((1, "html", first),)
    for first in [row for row in rows.get("html", {}) if row.endswith("/1")]:
        for number in range(2, 6):
            yield "html", f"{first.removesuffix('1')}{number}", ((1, "html", first),)


def web(rows: Rows, arch: str) -> Iterator[Rule]:
    """The cost of a client's ring depends neither on the size of a page sent at once, nor on the
    server in the kernel that answers. The cost of a larger page does not depend on the server.
    """
    sizes = ("1024", "10240")
    for server in ("trusted", "call"):
        base = (1, "web", f"user/{server}/100"), (-1, "web", "user/function/100")
        for size in sizes:
            yield "web", f"user/{server}/{size}", (*base, (1, "web", f"user/function/{size}"))
    for origin in [each for each in ("compat", "trusted") if gates(rows, each)]:
        for server in ("user", "compat", "trusted"):
            ring = (1, "web", f"{origin}/{server}/0"), (-1, "web", f"user/{server}/0")
            for size in ("100", *sizes):
                parts = (1, "web", f"user/{server}/{size}"), *ring
                yield "web", f"{origin}/{server}/{size}", parts
    for row in [row for row in rows.get("web", {}) if row.startswith("user/")]:
        _, server, size = row.split("/")
        for origin in ("compat", "trusted") if server in ("function", "file", "call") else ():
            ring = (1, "web", f"{origin}/trusted/{size}"), (-1, "web", f"user/trusted/{size}")
            yield "web", f"{origin}/{server}/{size}", ((1, "web", row), *ring)


def toll(rows: Rows, arch: str) -> Iterator[Rule]:
    """The check for pending work costs the same by every way in, and so does what saves nothing: a
    bare gate, and a gate and its service from each origin."""
    first = "user/int"
    look = (1, "toll", f"{first}/nowork"), (-1, "toll", f"{first}/standard")
    for row in [row.id for row in listed(arch) if row.id.count("/") == 2]:
        origin, way, variant = row.split("/")
        if variant == "nowork" and f"{origin}/{way}" != first:
            yield "toll", row, ((1, "toll", f"{origin}/{way}/standard"), *look)
        elif variant in ("service", "bare") and origin != "user":
            yield "toll", row, ((1, "toll", f"user/{way}/{variant}"),)
        elif variant == "bare" and way != "int":
            yield "toll", row, ((1, "toll", f"{first}/bare"),)


def exceptions(rows: Rows, arch: str) -> Iterator[Rule]:
    """A plain gate costs the same as a trap gate and one with an IST stack, in either ring; and the
    way to another stack, or task, as much more for each vector with a frame of one kind."""
    for row in [row for row in rows.get("exceptions", {}) if row.startswith("user/")]:
        if row.endswith(("/plain", "/task")):
            yield "exceptions", row.replace("user/", "trusted/", 1), ((1, "exceptions", row),)
    for plain in [row for row in rows.get("exceptions", {}) if row.endswith("/plain")]:
        for kind in ("trap", "ist") if arch == "amd64" else ("trap",):
            yield "exceptions", plain.replace("/plain", f"/{kind}"), ((1, "exceptions", plain),)
    for row in [row for row in rows.get("exceptions", {}) if row.endswith("/plain")]:
        origin, vector, _ = row.split("/")
        like = f"{origin}/gp" if vector in ("gp", "pf") else f"{origin}/ud"
        for kind in ("task", "move"):
            if row != f"{like}/plain":
                more = (1, "exceptions", f"{like}/{kind}"), (-1, "exceptions", f"{like}/plain")
                yield "exceptions", f"{origin}/{vector}/{kind}", ((1, "exceptions", row), *more)


def faults(rows: Rows, arch: str) -> Iterator[Rule]:
    """Clearing and copying a page cost the same everywhere, and `-net` excludes them; a fault from
    another origin adds a constant."""
    there = list(rows.get("faults", {}))
    for row in [row for row in there if row.startswith("user/page/")]:
        for origin in [each for each in ("compat", "trusted") if gates(rows, each)]:
            yield "faults", row.replace("user", origin, 1), ((1, "faults", row),)
    for zero in [row for row in there if row.endswith("/fault/zero")]:
        origin = zero.partition("/")[0]
        for what in ("copy", "zero-area", "zero-table") if origin != "user" else ():
            ring = (1, "faults", zero), (-1, "faults", "user/fault/zero")
            yield "faults", f"{origin}/fault/{what}", ((1, "faults", f"user/fault/{what}"), *ring)
        yield "faults", f"{origin}/fault/stack", ((1, "faults", zero),)
        for what, page in (("zero", "clear"), ("zero-area", "clear"), ("copy", "copy")):
            whole = f"{origin}/fault/{what}"
            parts = (1, "faults", whole), (-1, "faults", f"{origin}/page/{page}")
            yield "faults", f"{whole}-net", parts


def switch(rows: Rows, arch: str) -> Iterator[Rule]:
    """A thread-local base costs the same for all messages; two bytes cost as much as one. A part
    costs the same at each switch, of which a row has two, or none."""
    for one in [row for row in rows.get("switch", {}) if row.endswith("/ipc/pipe")]:
        yield "switch", f"{one}-2", ((1, "switch", one),)
        base = (1, "switch", f"{one}-tls"), (-1, "switch", one)
        for size in (2, 64, 4096):
            yield "switch", f"{one}-{size}-tls", ((1, "switch", f"{one}-{size}"), *base)
    for first in [row for row in rows.get("switch", {}) if row.startswith("user/turn/yield+")]:
        part = first.partition("+")[2]
        more = (1, "switch", first), (-1, "switch", "user/turn/yield")
        for row in [row for row in rows["switch"] if row.split("/")[1] in ("ipc", "turn")]:
            if "+" not in row and "-tls" not in row and row != "user/turn/yield":
                parts = ((1, "switch", row), *more[: 0 if row.endswith("-alone") else 2])
                yield "switch", f"{row}+{part}", parts


def sets(rows: Rows, arch: str) -> Iterator[Rule]:
    """A set of parts is the sum of its parts, which are measured with one entry each."""
    plain = "user/syscall/standard"
    there = {row.id for row in listed(arch)}  # the table says which ways in may have sets
    for origin in ("user", "compat") if arch == "amd64" else ():
        for gate in gates(rows, origin):
            base = f"{origin}/{gate}/standard"
            for end, names in ends().items():
                if end.startswith("@") and f"{base}{end}" in there:
                    each = [
                        part
                        for name in names
                        for part in ((1, "toll", f"{plain}+{name}"), (-1, "toll", plain))
                    ]
                    yield "toll", f"{base}{end}", ((1, "toll", base), *each)


RULES = (
    toll,
    sets,
    entered,
    ladder,
    files,
    vsyscall,
    calls,
    html,
    web,
    exceptions,
    faults,
    switch,
    around,
)
"""The rules, in an order in which summands come before sums."""


def total(rows: Rows, parts: tuple[Part, ...]) -> Budget | None:
    """The sum, for each compiler that all summands have; None if a summand is missing."""
    found = [(sign, rows.get(suite, {}).get(row)) for sign, suite, row in parts]
    if len(found) == 1:
        return found[0][1]
    if all(isinstance(budget, list) for _, budget in found):
        signs = [sign for sign, _ in found]
        columns = zip(*(budget for _, budget in found if budget is not None), strict=True)
        return [sum(map(mul, signs, column)) for column in columns]
    sums: dict[str, int] | None = None
    for _, budget in found:
        if isinstance(budget, dict):
            sums = {by: 0 for by in (budget if sums is None else sums) if by in budget}
    if sums is None or None in (budget for _, budget in found):
        return None
    for sign, budget in found:
        for by in sums:
            if budget is not None:
                sums[by] += sign * (budget[by] if isinstance(budget, dict) else budget[0])
    known = [with_room(figure) for by, figure in sums.items() if by != MOST]
    sums[MOST] = max([sums.get(MOST, 0), *known])  # subtracting an upper bound gives no bound
    return sums


def derive(rows: Rows, arch: str, say: Say) -> None:
    """Add the rules' results to `rows`; `say` turns each figure into a budget."""
    for rule in RULES:
        for suite, row, parts in rule(rows, arch):
            budget = total(rows, parts)
            if budget is not None:
                rows.setdefault(suite, {})[row] = say(suite, row, budget)
