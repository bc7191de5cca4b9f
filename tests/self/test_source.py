"""The source as text: the order of includes; everything that documents name must exist."""

import re
import subprocess
from pathlib import Path

import pytest

from tollgate.machines.boot import ARCHES, ROOT
from tollgate.records import budgets
from tollgate.suites import BUDGETED

ORDER = (
    *(".", "core/lib", "lib", "core/cpu", "core", "core/mem", "core/machine"),
    *("core/entry", "core/thread", "core/trap"),
    *("toll", "alone", "dev"),
    *("unix", "unix/clock", "unix/node", "unix/process", "unix/file", "unix/fs", "unix/program"),
    "sanitize",
)
"""The folders of the kernel from the lowest: each includes only those before it, and itself."""

TOP = ("config", "main", "suites")
"""The boot, in kernel/ itself: the highest layer. The headers there are the lowest."""

CIRCLE = 4
"""The most sources that include each other."""

FRAMES = {"arch/amd64/sigframe64.c", "arch/sigframe32.c"}
WORD_BY_WORD = {*FRAMES, "arch/amd64/site.c", "process/clocks.c"}
"""Files that may dereference a program's address without a copy: short paths."""

DOORS = {
    "user_copy() knows no bounds: user_read() and user_write() do": (
        r"\buser_copy\(",
        {"thread/user.c", "thread/user.h"},
    ),
    "user_inside() has been asked: a file's read and write are given what is inside": (
        r"\buser_(?:read|write)_within\(",
        {"thread/user.h", "file/pipe.c", "file/socket.c"},
    ),
    "an object's size is its type's: user_get(), user_put()": (
        r"\buser_(?:read|write)\([^;]*?\bsizeof",
        {"thread/user.h"},
    ),
    "words of the program's width: user_get_words(), user_put_words()": (
        r"\buser_(?:read|write|get|put)\([^;]*?\b(?:program_word\(|width\))",
        {"thread/user.c", "file/position.c"},
    ),
    "an element of a program's array: user_element()": (
        r"\buser_(?:read|write|get|put)\([^;]*?[\w)] \* (?:sizeof|width)",
        set(),
    ),
    "a program's address is followed by a copy of thread/user.h": (
        r"\b(?:USER_(?:GET|PUT|DO)|USER|user_open)\(|\*\)\s*\(uintptr_t\)",
        {"thread/user.h", "mem/frame.h", "machine/apic.c", "clock/image.c", *WORD_BY_WORD},
    ),
    "user_inside() says whether a length is within the limit": (
        r"\b(?:cpu_current|thread|child|parent)->limit\b",
        {"thread/user.h", "process/limit.c", "process/limit.h", "program/leave.c"}
        | {"program/exec.c", "program/fork.c", "alone/main.c"},
    ),
    "signal_send() and its neighbours ask who may signal whom": (
        r"\bsignal_(?:note|enqueue)\(|pending \|= ",
        {"process/signal.c", "process/sigframe.h"}
        | {"process/signal_queue.c", "process/signal_queue.h"},
    ),
    "what threads share is counted by its own functions": (
        r"\busers(?:\+\+|--)|(?:\+\+|--)[\w.>-]*\busers\b",
        {
            *("file/descriptor.c", "file/file.h", "file/fs.c", "node/node.c", "node/node.h"),
            *("mem/memory.c", "mem/memory.h", "program/fork.c", "process/signal.c"),
            "file/socket_name.c",
        },
    ),
    "who sleeps in a file's call holds the file: file_wait()": (
        r"\bwait_on\(",
        {"file/file.h", "process/futex.c", "thread/schedule.c", "thread/schedule.h"}
        | {"process/signal_calls.c", "process/wait.c"},
    ),
}
"""How each kind of mistake is made, and the files that may do it: all others have a safe function.
"""

DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "exercises").glob("*/README.md")),
]

EXAMPLES = {
    "kernel/core/entry/inttrap.asm",
    "kernel/core/entry/int_cleared.asm",
    "user/trusted/zone.c",
}
"""Files that readers of docs/mechanism.md and exercises create, or start with."""


def listed() -> list[str]:
    """The files of the project, tracked or new."""
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    out = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [name for name in out.splitlines() if (ROOT / name).exists()]


KERNEL = ROOT / "kernel"


def short(name: str) -> str:
    """A kernel file's name in sources: without its top folder."""
    return re.sub(r"^(?:core|unix)/", "", name)


def includes(arch: str) -> dict[str, set[str]]:
    """The includes of each file of one kernel, from the kernel itself: paths below kernel/."""
    other = next(a for a in ARCHES if a != arch)
    names = {
        str(path.relative_to(KERNEL))
        for path in KERNEL.rglob("*.[chd]*")
        if path.suffix in (".c", ".h", ".def") and not {other, "vdso"} & set(path.parts)
    }
    roofs = ("", "core/", "unix/", f"core/arch/{arch}/", f"unix/arch/{arch}/")

    def lies(name: str, included: str) -> str | None:
        own = "alone/" if name.startswith("alone/") else ""
        beside = str(Path(name).parent / included)
        return next(
            (f for f in (beside, *(r + included for r in (own, *roofs))) if f in names), None
        )

    return {
        name: {
            found
            for included in re.findall(r'^#include "([^"]+)"', (KERNEL / name).read_text(), re.M)
            if (found := lies(name, included))
        }
        for name in names
    }


def room(name: str) -> str:
    """The folder that a file is counted in: architecture-specific files count as `arch`."""
    folder = str(Path(name).parent)
    return re.sub(r"/(?:i386|amd64)$", "", folder).removesuffix("/arch")


@pytest.mark.parametrize("arch", ARCHES)
def test_a_folder_includes_only_what_lies_below_it(arch: str) -> None:
    place = {folder: number for number, folder in enumerate(ORDER)}
    roof = {"core": ("core/lib", "core/trap"), "unix": ("unix", "unix/program")}

    def rank(name: str, including: bool) -> int:
        """An architecture's file belongs to everything in its top folder."""
        if "/arch/" in name:
            return place[roof[name.split("/")[0]][including]]
        return place[room(name)]

    wrong = {
        f"{name} includes {found}"
        for name, all_found in includes(arch).items()
        if Path(name).stem not in TOP or "/" in name
        for found in all_found
        if rank(found, False) > rank(name, True)
    }
    assert not wrong


@pytest.mark.parametrize("arch", ARCHES)
def test_no_include_leads_out_of_the_core(arch: str) -> None:
    wrong = {
        f"{name} includes {found}"
        for name, all_found in includes(arch).items()
        if name.startswith("core/")
        for found in all_found
        if not found.startswith("core/") and "/" in found
    }
    assert not wrong


def test_no_include_of_nasm_leads_out_of_the_core() -> None:
    """Generated lists are exempt: those from the core's own tables, and one from the upper kernel
    (a kernel without that list has no such calls)."""
    files = [path for path in (KERNEL / "core").rglob("*") if path.suffix in (".asm", ".inc")]
    own = {path.name for path in files}
    out = {
        (path.name, included)
        for path in files
        for included in re.findall(r'^ *%include "(?:\.\./)*([^"]+)"', path.read_text(), re.M)
        if included.removeprefix("part/") not in own
    }
    assert {name for _, name in out} == {"const.inc", "parts.inc", "export.inc"}
    assert [name for name, included in out if included == "export.inc"] == ["function.asm"]


@pytest.mark.parametrize("arch", ARCHES)
def test_few_sources_include_each_other(arch: str) -> None:
    """A source is its .c and its .h.  In a circle each one includes all the others."""
    units: dict[str, set[str]] = {}
    for name, found in includes(arch).items():
        unit = str(Path(name).with_suffix(""))
        units.setdefault(unit, set()).update(str(Path(f).with_suffix("")) for f in found)
    reach = {unit: {*found} - {unit} for unit, found in units.items()}
    for middle in units:
        for unit in units:
            if middle in reach[unit]:
                reach[unit] |= reach[middle]
    circles = {
        tuple(sorted(other for other in reach[unit] if unit in reach[other]))
        for unit in units
        if unit in reach[unit]
    }
    assert max(map(len, circles), default=0) <= CIRCLE, sorted(circles, key=len)[-1]


def test_every_folder_of_the_kernel_has_its_place() -> None:
    folders = {room(str(path.relative_to(KERNEL))) for path in KERNEL.rglob("*.[ch]")}
    assert {f for f in folders if "vdso" not in f} == set(ORDER)


GUARDED = {"kernel/core/cpu/msr.h", "kernel/unix/clock/order.h"}
"""Headers in whose place tests put their own, by the names of the guards."""


def test_a_header_is_read_once() -> None:
    headers = [name for name in listed() if name.endswith(".h")]
    assert {n for n in headers if "\n#pragma once\n" not in (ROOT / n).read_text()} == GUARDED


def test_c_is_compiled_whole() -> None:
    """Kernels and programs differ by folder: no line of C is conditional."""
    wrong = [
        f"{name}: {line}"
        for name in listed()
        if name.startswith(("kernel/", "boot/", "user/")) and name not in GUARDED
        if name.endswith((".c", ".h", ".def"))
        for line in re.findall(r"^[ \t]*#[ \t]*(?:el)?if.*", (ROOT / name).read_text(), re.M)
    ]
    assert not wrong


def code_of(path: Path) -> str:
    """A C source without comments."""
    return re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)


@pytest.mark.parametrize("instead", DOORS)
def test_what_was_got_wrong_is_done_in_one_place(instead: str) -> None:
    pattern, doors = DOORS[instead]
    who = {
        short(str(path.relative_to(KERNEL)))
        for path in KERNEL.rglob("*.[ch]")
        if re.search(pattern, code_of(path))
    }
    assert not who - doors, instead
    assert not doors - who, "these do so no more: strike them out"


CALL = re.compile(
    r"^(?:static )?(?:inline )?[\w *]+?\b(\w+)\(([^;{]*?)\)\n\{\n(.*?)^\}", re.M | re.S
)
BOTH = {
    "sys_toll_latency index": "the wide one has a bound",
    "descriptor_control argument": "fcntl()'s is a number or an address",
    "sys_mprotect access": "all of its bits are looked at before",
    "remap how": "all of its bits are looked at before",
}
"""Arguments that may be used both as 32 bits and as 64, with the reason."""


def test_a_number_that_is_looked_at_as_32_bits_is_used_as_32_bits() -> None:
    """An argument of a call has 64 bits: a check of its lower 32 does not limit the upper ones."""
    found = set()
    for path in [*(KERNEL / "unix").rglob("*.c"), *(KERNEL / "toll").rglob("*.c")]:
        for name, parameters, body in CALL.findall(path.read_text()):
            for argument in re.findall(r"\blong (\w+)", parameters):
                narrow = rf"\((?:unsigned|int|u?int32_t)\)\s*{argument}\b"
                wide = rf"\((?:size_t|uintptr_t|unsigned long)\)\s*{argument}\b|\[{argument}\]"
                if re.search(narrow, body) and re.search(wide, body):
                    found.add(f"{name} {argument}")
    assert found == set(BOTH)


def named(document: Path) -> set[str]:
    """The paths in a document: in links, and in code with a folder."""
    text = document.read_text()
    folder = document.parent.relative_to(ROOT)
    links = {str(folder / link) for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", text)}
    code = set(re.findall(r"`((?:kernel|user|boot|tools|tests|docs)/[\w./-]*[\w/])`", text))
    rows = {row for arch in ARCHES for suite in BUDGETED for row in budgets.load(suite, arch)}
    return {name for name in links | code if not re.search("NAME|KIND", name)} - EXAMPLES - rows


@pytest.mark.parametrize(
    "document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT).with_suffix(""))
)
def test_every_path_that_a_document_names_exists(document: Path) -> None:
    start = document.with_name("start.py")  # an exercise's, which creates files
    made = start.read_text() if start.is_file() else ""
    lost = {name for name in named(document) if not (ROOT / name).exists() and name not in made}
    assert not lost


def test_each_sentence_about_what_protects_whom_has_a_test() -> None:
    text = (ROOT / "docs" / "boundary.md").read_text()
    lines = text.splitlines()
    assert len(lines) <= 100 and max(map(len, lines)) <= 100, "two screens"
    sentences = re.findall(r"^- .*(?:\n  .*)*", text, re.M)
    assert len(sentences) >= 25
    for sentence in sentences:
        tests = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", sentence)
        assert tests, sentence
        lost = [name for file, name in tests if f"def {name}(" not in (ROOT / file).read_text()]
        assert not lost, sentence


def anchors(document: Path) -> set[str]:
    """The anchors of a document's headings, made like GitHub's."""
    text = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.S | re.M)
    heads = re.findall(r"^#+ (.*)", text, re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize(
    "document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT).with_suffix(""))
)
def test_every_heading_that_a_document_links_exists(document: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)", document.read_text())
    lost = [
        f"{path}#{anchor}"
        for path, anchor in links
        if anchor not in anchors((document.parent / path) if path else document)
    ]
    assert not lost


def test_each_word_is_in_the_place_that_the_glossary_names() -> None:
    text = (ROOT / "docs" / "words.md").read_text()
    lines = re.findall(r"^\| ([^|]+) \| [^|]+ \| \[[^]]+\]\(([^)]+)\) \|$", text, re.M)
    assert len(lines) == text.count("\n| ") - 1, "every line under the heading has its three parts"
    words = [word for word, _ in lines]
    assert len(words) == len(set(words)) >= 20
    wrong = [
        f"{word}: {place}"
        for word, place in lines
        if not re.search(rf"\b{word}s?\b", (ROOT / "docs" / place).read_text(), re.I)
    ]
    assert not wrong
    assert len(text.splitlines()) <= 60, "a page"


def test_the_tests_take_what_was_built_where_make_has_built_it() -> None:
    """`make test CC=clang` builds in another folder; logs are not build products."""
    pattern = re.compile(r'ROOT / "build"(?! / "test-logs")')
    tests = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__).resolve()]
    assert [path.name for path in tests if pattern.search(path.read_text())] == []


FUNCTION = re.compile(r"^(?:[a-z][\w ]*[ *]+)([a-z]\w*)\((?!\*)[^;]*?\)\s*\n?\{", re.M)


def alike(texts: dict[str, str]) -> list[str]:
    """These functions, as FILE:NAME; an i386 file and its amd64 counterpart count as one."""
    places: dict[str, set[str]] = {}
    for file, text in texts.items():
        for name in FUNCTION.findall(text):
            place = re.sub(r"arch/(i386|amd64)/", "arch/", file)
            places.setdefault(name, set()).add(place)
    several = {name: files for name, files in places.items() if len(files) > 1 and "_" not in name}
    return [f"{file}:{name}" for name, files in sorted(several.items()) for file in sorted(files)]


def test_a_name_that_another_file_has_is_object_verb() -> None:
    """In a backtrace `read` would mean any of twelve functions."""
    files = [file for folder in ("kernel", "boot") for file in (ROOT / folder).rglob("*.c")]
    found = alike({str(file.relative_to(ROOT)): file.read_text() for file in files})
    assert not found, "call it object_verb(): " + " ".join(found)


def test_names_that_are_alike_are_found() -> None:
    read = "static int read(struct file *f)\n{\n}\n"
    named = "int pipe_read(struct file *f,\n              int n)\n{\n}\n"
    assert alike({"a.c": read, "b.c": read + named, "c.c": named}) == ["a.c:read", "b.c:read"]
    assert alike({"arch/i386/a.c": read, "arch/amd64/a.c": read}) == []
