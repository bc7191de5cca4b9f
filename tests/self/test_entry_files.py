"""The entry files, as a reader sees them: comments agree with the code."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ARCH = ROOT / "kernel" / "core" / "arch"


def macro(path: Path, name: str) -> list[str]:
    """The lines of a nasm macro."""
    text = re.search(rf"^%macro {name} .*\n((?:.*\n)*?)%endmacro", path.read_text(), re.M)
    assert text, f"{path} has no {name}"
    return text[1].splitlines()


def fields(arch: str) -> list[str]:
    """The fields of struct frame below the hardware's part, lowest first."""
    text = re.search(
        r"^struct frame \{\n(.*?)^\};", (ARCH / arch / "arch.h").read_text(), re.M | re.S
    )
    assert text
    names = re.findall(r"\b(\w+)(?=[,;])", text[1])
    return names[: names.index("ip")]


def test_a_word_has_one_home() -> None:
    """Files of one name in several folders: the search path chooses among them.

    A part may replace an instruction of a half; a set has at most one such part."""
    homes: dict[str, set[str]] = {}
    for path in (ROOT / "kernel").rglob("*.inc"):
        for word in re.findall(r"^%(?:i?macro|x?define) (\w+)", path.read_text(), re.M):
            if path.parent.name != "part" or not word.isupper():
                homes.setdefault(word, set()).add(path.name)
    assert len(homes) > 100
    assert {word: names for word, names in homes.items() if len(names) > 1} == {}


@pytest.mark.parametrize("arch", ["i386", "amd64"])
@pytest.mark.parametrize("name", ["SAVE_FRAME", "RESTORE_FRAME"])
def test_the_frame_is_drawn_as_struct_frame_is(arch: str, name: str) -> None:
    """Each push and pop names its field, in the struct's order."""
    path = ARCH / arch / "frame.inc"
    lines = macro(path, name)
    if lines[0].split()[0] == "RESTORE_BUT":
        lines = macro(path, "RESTORE_BUT") + lines
    said: list[str] = []
    for line in lines:
        code, _, comment = line.partition(";")
        words = [word for word in code.split() if not word.startswith("%%")]
        named = re.findall(r"\w+", comment)
        said += named
        if len(words) == 2 and words[1] != "WORD" and words[0] in ("push", "pop"):
            plain = re.sub(r"^[re](?=[a-z]{2}$)", "", words[1])
            assert named == [plain] or (plain, named) == ("ax", ["number"]), line
    assert said == (fields(arch)[::-1] if name == "SAVE_FRAME" else fields(arch))
