"""Missing Linux calls: named in the end record, and printed with calls=say."""

import re
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import BUILD, ROOT

NUMBERS = {32: {"swapon": 87, "init_module": 128}, 64: {"swapon": 167, "init_module": 175}}
REFUSED = {
    "TCFLSH": ("ioctl", 0x540B),
    "FIGETBSZ": ("ioctl", 2),
    "": ("ioctl", 0xDEAD0000),
    "F_SETOWN": ("fcntl", 8),
    "AF_INET": ("socket", 2),
    "SIOCATMARK": ("ioctl", 0x8905),
    "SO_LINGER": ("option", 13),
    "SCHED_FIFO": ("policy", 1),
    "PR_SET_NO_NEW_PRIVS": ("prctl", 38),
    "PR_SCHED_CORE": ("prctl", 62),
    "O_TMPFILE": ("open", 0x400000),
    "O_PATH": ("open", 0x200000),
    "O_DIRECT": ("open", 0x4000),
    "RENAME_EXCHANGE": ("rename", 2),
    "SEEK_DATA": ("lseek", 3),
    "MADV_DONTFORK": ("madvise", 10),
    "FALLOC_FL_PUNCH_HOLE": ("fallocate", 2),
    "CLOCK_TAI": ("clock", 11),
    "MREMAP_DONTUNMAP": ("mremap", 4),
    "MSG_OOB": ("message", 1),
    "EPOLL_CTL_ADD": ("epoll of an epoll", 1),
}
NAMELESS = "there is no %s here, nor a name for it"
PROGRAMS = {"i386": {"bin": 32, "trusted": 32}, "amd64": {"bin": 64, "compat": 32, "trusted": 64}}


@pytest.mark.parametrize("say", [True, False])
@pytest.mark.parametrize("arch", ["i386", "amd64"])
def test_what_is_missing_says_so_once(boot: Any, tree: Any, arch: str, say: bool) -> None:
    files, lines, names = {}, [], set()
    for folder, bits in PROGRAMS[arch].items():
        width = "amd64" if bits == 64 else "i386"
        files[f"{folder}/missing"] = (BUILD / width / "bin" / "missing").read_bytes()
        path = f"/{folder}/missing"
        asked = ["swapon", *(["init_module"] if folder == "trusted" else [])]
        sentences = [f"there is no {n} (call {NUMBERS[bits][n]}) here" for n in asked]
        sentences.insert(1, "there is no call 489, nor has Linux one")
        for name, (kind, number) in REFUSED.items():
            what = f"{kind} {number:#x}"
            sentences.append(f"there is no {name} ({what}) here" if name else NAMELESS % what)
        lines += [f"{path}: {sentence}" for sentence in sentences]
        names |= {(name, number, bits) for name, (_, number) in REFUSED.items() if name}
        names |= {(n, NUMBERS[bits][n], bits) for n in asked}
    words = "suite=missing calls=say" if say else "suite=missing"
    result = boot(arch, cmdline=words, module=tree(files))
    assert result.outcome.value == "pass", result.reason
    assert [c for c in result.checks if not c["ok"]] == []
    said = [line for line in result.text.splitlines() if ": there is no " in line]
    assert said == (lines if say else [])
    assert {tuple(entry) for entry in result.end["unimplemented"]} == names


def test_a_flood_of_requests_is_cut(boot: Any, tree: Any) -> None:
    flood = (BUILD / "i386" / "bin" / "missing").read_bytes()
    result = boot("i386", cmdline="suite=flood calls=say", module=tree({"bin/flood": flood}))
    said = [line for line in result.text.splitlines() if ": there is no ioctl " in line]
    assert len(said) == 256
    assert "tollgate: calls=say says no more than these 256" in result.text
    assert "unimplemented" not in result.end


@pytest.mark.parametrize(
    ("header", "kind", "names"),
    [
        ("ioctls.h", "device", r"T(?:C|IOC)[A-Z0-9]+"),
        ("socket.h", "option", r"SO_\w+"),
        ("fcntl.h", "fcntl", r"F_[GS]ET\w+"),
    ],
)
def test_a_request_of_linuxs_is_here_or_has_its_name(header: str, kind: str, names: str) -> None:
    path = Path("/usr/include/asm-generic") / header
    if not path.exists():
        pytest.skip(f"this host has no {path}")
    process = ROOT / "kernel" / "unix" / "process"
    uapi = (ROOT / "kernel" / "unix" / "uapi.h").read_text()
    ours = {name: int(n, 0) for name, n in re.findall(rf"#define ({names}) (\w+)", uapi)}
    rows = re.findall(rf"REQUESTS\({kind}, (\w+), ([^)]*)", (process / "request.def").read_text())
    for first, row in rows:
        for place, name in enumerate(re.findall(r"\w+", row)):
            ours[name] = int(first, 0) + place
    found = re.findall(rf"^#define ({names})\s+(0[xX]\w+|\d+)\b", path.read_text(), re.M)
    assert len(found) > 10
    for name, number in found:
        newer = int(number, 0) > max(ours.values())  # our table may be of an older Linux
        assert newer or ours[name.removesuffix("_OLD")] == int(number, 0)


def table(path: Path, word: str) -> dict[str, tuple[int, ...]]:
    """The calls of a table, with the numbers of i386 and amd64; -1 = none."""
    found: dict[str, tuple[int, ...]] = {}
    lines = re.findall(
        rf"\b(?:FRAME_|SERVICE_)?{word}(32|64|)\((\w+), (\d+)(?:, (\d+))?\)", path.read_text()
    )
    for width, name, first, second in lines:
        found[name] = {"32": (int(first), -1), "64": (-1, int(first))}.get(
            width, (int(first), int(second or -1))
        )
    return found


@pytest.mark.parametrize(("header", "column"), [("unistd_32.h", 0), ("unistd_64.h", 1)])
def test_a_call_of_linuxs_is_here_or_has_its_name(header: str, column: int) -> None:
    path = Path("/usr/include/x86_64-linux-gnu/asm") / header
    if not path.exists():
        pytest.skip(f"this host has no {path}")
    kernel = ROOT / "kernel"
    here = table(kernel / "unix" / "sys.def", "CALL") | table(kernel / "toll" / "toll.def", "CALL")
    missing = table(kernel / "unix" / "process" / "linux.def", "LINUX")
    ours = {numbers[column]: name for name, numbers in here.items()}
    linuxs = {
        int(number): name
        for name, number in re.findall(r"^#define __NR_(\w+) (\d+)$", path.read_text(), re.M)
    }
    assert len(linuxs) > 300
    assert {n for n, name in ours.items() if not name.startswith("toll_")} - {-1} <= set(linuxs)
    for number, name in linuxs.items():
        if number in ours:
            assert ours[number].removeprefix("old_") in name  # or _new.., ..64
        else:
            assert missing[name][column] == number
