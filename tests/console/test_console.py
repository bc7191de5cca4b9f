"""The console inside the machine: a person's input, and its effects."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import BUILD, ROOT
from tollgate.machines.child import run

from ..elf import program as assemble
from ..person import Person, Steps

ARCHES = ("i386", "amd64")
SCRIPTS = tomllib.loads((ROOT / "tests" / "console.toml").read_text())

HOST = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
arches = pytest.mark.parametrize("arch", ARCHES)


@pytest.fixture
def dash(tmp_path: Path) -> dict[str, str]:
    """The output of each script on the host, with dash and coreutils."""
    said = {}
    for name, script in SCRIPTS.items():
        (here := tmp_path / name).mkdir()
        words = ["/usr/bin/dash", "-c", script]
        said[name] = run(words, 60, cwd=here, text="", env=HOST).stdout
    return said


@arches
def test_every_script_says_what_it_says_on_linux(
    person: Person, arch: str, dash: dict[str, str]
) -> None:
    """One boot for all of tests/console.toml: each script has an empty folder and its own shell."""
    assert person.tries(arch, SCRIPTS) == dash


def front(command: str) -> str:
    """A program that reports when it is in the foreground: before that ^C would go to the shell."""
    return f"sh -c 'echo ready; exec {command}'\n"


UP, DOWN, LEFT, HOME, END = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[1~", "\x1b[4~"
EVENING: Steps = [
    ("", front("yes > /dev/null")),
    ("ready", "\x03"),
    ("sh: sh: killed by SIGINT", "echo status $?\n"),
    ("status 130", front("/trusted/yes > /dev/null")),
    ("ready", "\x03"),
    ("sh: sh: killed by SIGINT", front("sleep 100")),
    ("ready", "\x1c"),
    ("sh: sh: killed by SIGQUIT", "\x1cecho ignored at the prompt\n"),
    ("ignored at the prompt", "echo not this\x03\necho but this\n"),
    ("but this", "rubbish\x15ecko\x7f\x7fho erased\n"),
    ("erased", f"eco $?ok{6 * LEFT}h\n"),
    ("0ok", f"{UP}more\n"),
    ("0okmore", f"nothing{UP}{UP}{DOWN}\x01again; {HOME}echo {END}\n"),
    ("again", "help\n"),
    ("Programs: ls, with a folder of /bin.", front("cat")),
    ("ready", "typed\n"),
    ("typed", "more\x04\x04A=$?; echo; echo end of file $A\n"),
    ("end of file 0", "sh -c 'sleep 100 & echo $? started; exit 3'\n"),
    ("0 started", "exec nosuch\n"),
    ("sh: nosuch: not found", "exec nosuch > /dev/null\n"),
    ("sh: nosuch: not found", "false\n\x04"),
]


@pytest.mark.parametrize(
    ("arch", "way"),
    [
        ("i386", "at_the_line"),
        ("amd64", "at_the_line"),
        pytest.param("i386", "at_the_keyboard", marks=pytest.mark.long),
        pytest.param("amd64", "at_the_keyboard", marks=pytest.mark.long),
    ],
)
def test_an_evening_at_the_console(person: Person, arch: str, way: str) -> None:
    said = person.works(arch, EVENING, getattr(person, way))
    assert "\nnot this\n" not in said
    assert "more" in said


EATER = """
%if __BITS__ == 64
 %define BRK 12
%else
 %define BRK 45
%endif
main:   CALL    BRK, 0, 0, 0
.page:  mov     xbp, xax
        lea     xax, [xbp + 4096]
        CALL    BRK, xax, 0, 0
        mov     [xbp], al
        jmp     .page
"""


@arches
def test_who_eats_all_memory_dies_alone(person: Person, arch: str) -> None:
    """A program's memory, and the file tree's."""
    scripts = {
        "program": "/eater; echo $?; echo alive",
        "file": "cat /dev/zero > big; echo $?; rm big; cp /bin/sh .; ./sh -c 'echo too'",
    }
    eater = {"eater": assemble({"i386": 32, "amd64": 64}[arch], EATER)}
    came = person.tries(arch, scripts, eater, memory=32)
    assert came["program"] == "/eater: killed: out of memory\n137\nalive\n"
    assert came["file"] == "1\ntoo\n"


@arches
def test_nobody_kills_init(person: Person, arch: str) -> None:
    came = person.tries(arch, {"init": "kill 1; kill -KILL 1; kill -STOP 1; echo $?; echo @ home"})
    assert came["init"] == "0\n@ home\n"


BOMB: Steps = [
    ("", "sh /bomb &\n"),
    ("sh: fork: try again", "kill -KILL -1; wait\necho\necho over\n"),
    ("over", "cat /bomb | wc -l\n"),
    ("1", "exit\n"),
]


@pytest.mark.parametrize("arch", [pytest.param("i386", marks=pytest.mark.long), "amd64"])
def test_a_fork_bomb_can_be_ended(person: Person, arch: str) -> None:
    """`kill` is built into the shell, so it works when there is no room for a process."""
    person.works(arch, BOMB, person.at_the_line, {"bomb": b"sh /bomb & sh /bomb\n"})


@pytest.mark.parametrize(
    ("arch", "others"),
    [
        pytest.param("i386", "share-trusted", marks=pytest.mark.long),
        pytest.param("amd64", "share-user", marks=pytest.mark.long),
    ],
)
def test_yes_leaves_half_of_the_processor(boot: Any, tree: Any, arch: str, others: str) -> None:
    """In every pair of rings. The signal of ^C ends `yes` at once, although it never waits."""
    build = BUILD / arch
    share, yes = (build / "bin" / "share").read_bytes(), (build / "console" / "yes").read_bytes()
    files = {f"{folder}/share": share for folder in ("bin", "trusted")}
    files |= {f"{folder}/yes": yes for folder in ("bin", "trusted")}
    result = boot(arch, cmdline=f"suite=share only={others} samples=3", module=tree(files))
    assert result.outcome.value == "pass", result.reason
    found = {r["id"]: r for r in result.results}
    for origin in ("user", "trusted"):
        turn, away, death, key = (
            found[f"{origin}/{others}/{w}"] for w in ("turn", "away", "death", "key")
        )
        share_of_it = turn["mean"] / (turn["mean"] + away["mean"])
        assert 0.49 < share_of_it < 0.51
        assert turn["max"] < 1.01 * turn["min"]
        assert death["max"] < 100_000 < turn["min"]
        assert death["min"] < key["min"] <= key["max"] < 200_000


TALKER = """
main:   mov     xbp, 700
.line:  CALL    WRITE, 1, text, text.end - text
        dec     xbp
        jnz     .line
        CALL    EXIT, 0, 0, 0
text:   db      "a line as long as the lines of most programs that say much", 10
.end:
"""


@pytest.mark.long
def test_bochs_does_not_stop_who_talks(boot: Any, tree: Any) -> None:
    """Bochs' display would stop at some 600 lines, because no person reads them. So it is off."""
    module = tree({"bin/a": assemble(32, TALKER)})
    result = boot("i386", cmdline="suite=a", platform="bochs", module=module)
    assert result.outcome.value == "pass", result.reason
    assert result.text.count("\na line as long as") == 700
