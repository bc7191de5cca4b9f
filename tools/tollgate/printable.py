"""Makes a record's text printable: harmless on a terminal, and one line."""

from rich.text import Text

LONGEST = 300
"""Characters.  Longer text is not a name, reason or detail of ours."""


def printable(value: object, longest: int = LONGEST) -> str:
    """`value` as one line that moves no cursor and changes no colour or direction.

    Control characters, lone surrogates and changes of writing direction become U+FFFD, ends of
    lines become spaces.
    """
    words = str(value)
    line = words if len(words) <= longest else words[: longest - 1] + "\u2026"
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in line)


def whole(value: str) -> str:
    """The same without a limit of length: for a table that a program also reads."""
    return printable(value, len(value))


def plain(value: object, style: str = "", longest: int = LONGEST) -> Text:
    """The same for a terminal: nothing in it is markup."""
    return Text(printable(value, longest), style=style)


def shown(value: float | None) -> str:
    """A number for people: thousands separators, at most two decimals, "" for None."""
    if value is None:
        return ""
    if abs(value) >= 1e15:
        return f"{value:.3e}"
    digits = f"{value:,.2f}".rstrip("0").rstrip(".")
    return "0" if digits == "-0" else digits.replace("-", "\u2212")
