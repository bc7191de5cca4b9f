"""The units that need no machine, on the host: each test is one binary of tests/unit.

Each builds its own binary, and no two share an object, so workers may run side by side; a lock
keeps two runs of one test from building at the same moment.
"""

import errno
import fcntl
import json
import os
import subprocess
import zlib
from pathlib import Path

import pytest

from tollgate.boot import BUILD, ROOT
from tollgate.child import run

OUT = BUILD / "unit"
UNITS = (
    "printf",
    "string",
    "crc32",
    "json",
    "elf",
    "tree",
    "statistics",
    "noise",
    "config",
    "memory",
    "counter",
    "table",
    "clock",
    "rtc",
)
REAL_INPUT = {"elf": "*/bin/toll", "tree": "*/initrd.cpio"}
"""What a unit gets as arguments: files of the build, by pattern."""


def built(unit: str) -> Path:
    """Build one binary and return its path; the compiler's words are the failure."""
    OUT.mkdir(parents=True, exist_ok=True)
    with (OUT / f"{unit}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = subprocess.run(
            ["make", "-s", "-C", ROOT / "tests" / "unit", f"OUT={OUT}", OUT / unit],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "MFLAGS"},
        )
    if made.returncode:
        pytest.fail(f"{unit} does not build:\n{made.stdout}", pytrace=False)
    return OUT / unit


def output_of(binary: Path, *arguments: str | Path) -> str:
    """Run a binary and return what it prints; what it says as it fails is the failure."""
    options = {"ASAN_OPTIONS": "detect_leaks=1", "UBSAN_OPTIONS": "print_stacktrace=1"}
    done = run([binary, *arguments], 60, env=options, merge=True)
    if done.returncode:
        pytest.fail(f"{binary.name}: status {done.returncode}\n{done.stdout}", pytrace=False)
    return done.stdout


@pytest.mark.parametrize("unit", UNITS)
def test_unit(unit: str) -> None:
    """Every cmocka test of the unit passes, and no sanitizer speaks."""
    files: list[Path] = []
    if pattern := REAL_INPUT.get(unit):
        files = sorted(file for file in BUILD.glob(pattern) if OUT not in file.parents)
        assert files, f"build/{pattern}: no such file, and the test wants real ones; run `make`"
    assert "[  PASSED  ]" in output_of(built(unit), *files)


def test_record_is_json() -> None:
    """A record with everything in it, as Python's zlib and json read it."""
    line = output_of(built("json"), "--print")
    start, body, checksum = line[0], line[1:-11], line[-9:-1]
    assert (start, line[-11:-9], line[-1]) == ("@", " *", "\n")
    assert f"{zlib.crc32(body.encode('ascii')):08x}" == checksum
    assert json.loads(body) == {
        "v": 1,
        "type": "check",
        "characters": "".join(map(chr, range(1, 256))),
        "empty": "",
        'a "key" with \\': "{[,",
        "lowest": -(2**63),
        "highest": 2**63 - 1,
        "cents": -0.05,
        "yes": True,
        "no": False,
        "object": {"empty": {}, "one": 1},
        "array": [[1, -2], []],
        "last": 0,
    }


def test_narrow() -> None:
    """With 32-bit size_t the readers decide as with 64 (narrow.c), and nothing overflows."""
    wide = output_of(built("narrow64"))
    try:
        narrow = output_of(built("narrow32"))
    except OSError as error:
        if error.errno == errno.ENOEXEC:
            pytest.skip("this host runs no 32-bit programs (CONFIG_IA32_EMULATION)")
        raise
    assert "digest" in wide
    assert narrow == wide
