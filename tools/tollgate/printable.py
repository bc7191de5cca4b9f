"""The one way of a record's words to a reader: harmless on a terminal, and one line long."""

from __future__ import annotations

from rich.text import Text

LONGEST = 300
"""Characters.  Whatever is longer is no name, reason or detail of ours."""


def printable(value: object, longest: int = LONGEST) -> str:
    """`value` as one line of text that moves no cursor and changes no colour or direction.

    Control characters, lone surrogates and what turns the direction of writing become U+FFFD, the
    ends of lines spaces.
    """
    words = str(value)
    line = words if len(words) <= longest else words[: longest - 1] + "\u2026"
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in line)


def whole(value: str) -> str:
    """The same, however long it is: for a table that a program reads, too."""
    return printable(value, len(value))


def plain(value: object, style: str = "", longest: int = LONGEST) -> Text:
    """The same for a terminal: nothing in it is markup."""
    return Text(printable(value, longest), style=style)


def shown(value: float | None) -> str:
    """A number for people: thousands apart, no more than two decimals, nothing for None."""
    if value is None:
        return ""
    if abs(value) >= 1e15:
        return f"{value:.3e}"
    digits = f"{value:,.2f}".rstrip("0").rstrip(".")
    return "0" if digits == "-0" else digits.replace("-", "\u2212")
