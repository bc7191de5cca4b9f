"""Parts of an entry, and sets of them (kernel/core/entry/part.def), as a person names them.

A row's id ends in `+PART`, in `+PART+PART`, or in `@SET`; `parts=` on the kernel's command line has
such ends, separated by commas and without the first character.  An invalid one is a UsageError
before any boot.
"""

import difflib
import re
from collections.abc import Iterable

from tollgate.errors import UsageError
from tollgate.records.kernel_tables import sets

WORD = "parts="
ALL = "all"
NONE = "none"
"""No rows with parts."""
DEFAULT = "linux-tigerlake"
"""A bench that names no suite measures this set, beside the rows without parts."""


def excluded() -> dict[str, str]:
    """The part that excludes another one."""
    return {line[1]: line[3] for line in sets() if line[0] == "part" and line[3]}


def parts() -> list[str]:
    """The names of all parts, in the order of the entry."""
    return [line[1] for line in sets() if line[0] == "part"]


def ends() -> dict[str, list[str]]:
    """The kernel's ends of ids, and the parts of each."""
    return {line[1]: line[2].split() for line in sets() if line[0] == "set"}


def _unknown(what: str, name: str, known: Iterable[str]) -> UsageError:
    known = list(known)
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    said = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}."
    return UsageError(f"There is no {what} {name!r} around an entry; {said}")


def _check_parts(names: list[str]) -> None:
    """Check parts joined by a plus."""
    for name in names:
        if name not in parts():
            raise _unknown("part", name, parts())
        if names.count(name) > 1:
            raise UsageError(f"{'+'.join(names)} has {name} twice; a part stands once in a set.")
    for name, other in excluded().items():
        if name in names and other in names:
            raise UsageError(f"{other} and {name} do the same, so no set has both.")


def check(words: str) -> None:
    """Raise UsageError for a list with a name that no kernel has."""
    for word in words.split(","):
        if word == ALL or words == NONE or f"@{word}" in ends():
            continue
        if "+" in word or word in parts():
            _check_parts(word.split("+"))
            if f"+{word}" not in ends():
                raise UsageError(
                    f"No row has {word}: a SET in kernel/core/entry/part.def makes one."
                )
        else:
            raise _unknown("part or set", word, [*parts(), *(e[1:] for e in ends() if e[0] == "@")])


def around(row: str) -> str:
    """The end of a row's id with its parts or its set."""
    match = re.search(r"[+@].+", row)
    return match[0] if match else ""


def asked(words: str, row: str) -> bool:
    """Whether a machine with `parts=` and these words has a row."""
    return not around(row) or not {ALL, around(row)[1:]}.isdisjoint(words.split(","))


def word_for(row: str) -> tuple[str, ...]:
    """The command-line word that a row's id needs; none for a row without parts."""
    end = around(row)
    if not end:
        return ()
    if end[0] == "@" and end not in ends():
        raise _unknown("set", end[1:], [each[1:] for each in ends() if each[0] == "@"])
    check(end[1:])
    return (f"{WORD}{end[1:]}",)


def check_words(words: Iterable[str]) -> None:
    """The same for the kernel's command line."""
    for word in words:
        if word.startswith(WORD):
            check(word.removeprefix(WORD))


def kept(words: Iterable[str]) -> tuple[str, ...]:
    """The words of a command line that select rows with parts."""
    return tuple(word for word in words if word.startswith(WORD))
