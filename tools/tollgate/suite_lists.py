"""`python -m tollgate.suite_lists WHAT`: lists of suites, generated from one table (suites.py).

names: what SUITE= takes, for the help of make. default: the kernel's own choice and `everything`,
as C. grub: tools/grub.cfg with the entries of the suites. documents: writes the table of README.md.
"""

import re
import sys
from pathlib import Path

from tollgate.suites import NAMES, TABLE, Suite

ROOT = Path(__file__).resolve().parents[2]
OFFERED = tuple(suite for suite in TABLE if suite.key)
"""The suites in GRUB's menu."""
EVERYTHING = ",".join(suite.name for suite in OFFERED if not suite.minutes)
"""The suites of `everything`."""
DEFAULT = [suite.name for suite in TABLE if suite.default]


def names() -> str:
    """The suites as values of SUITE=."""
    return ",".join(NAMES)


def default() -> str:
    """The suites that the kernel runs by default, and all that need no minutes."""
    lists = {"DEFAULT": ",".join(DEFAULT), "EVERYTHING": EVERYTHING}
    return "\n".join(f'#define SUITES_{name} "{suites}"' for name, suites in lists.items())


def line(suite: Suite) -> str:
    """A suite in a menu."""
    return f"{suite.name}: {suite.says}{' (minutes)' if suite.minutes else ''}"


def entries() -> str:
    """GRUB's menu entries for the suites."""
    return "\n\n".join(
        f'menuentry "{line(suite)}" --id {suite.name} --hotkey {suite.key} {{\n'
        f"        start $kernel suite={suite.name}\n}}"
        for suite in OFFERED
    )


def grub() -> str:
    """GRUB's complete menu."""
    text = (ROOT / "tools" / "grub.cfg").read_text(encoding="utf-8")
    return text.replace("@everything@", EVERYTHING).replace("@suites@\n", f"{entries()}\n")


def of_readme() -> str:
    """The README's rows: what each suite measures. Suites that answer one question share a row."""
    rows: dict[str, list[Suite]] = {}
    for suite in TABLE:
        if suite.bench:
            rows.setdefault(suite.asks, []).append(suite)
    head = f"| suite (default: `{DEFAULT[0]}` to `{DEFAULT[-1]}`) |"
    head += " what it measures | unit: count per | the question |\n|---|---|---|---|\n"
    for asks, row in rows.items():
        names_of = ", ".join(f"`{suite.name}`" for suite in row)
        head += f"| {names_of} | {row[0].says} | {row[0].unit} | {asks} |\n"
    return head


README = ROOT / "README.md"


def readme() -> str:
    """The README's text, with its list of suites regenerated."""
    text = README.read_text(encoding="utf-8")
    before, after = re.split(r"\| suite \(default.*\n(?:\|.*\n)+", text, maxsplit=1)
    return before + of_readme() + after


if __name__ == "__main__":
    MADE = {"names": names, "default": default, "grub": grub}
    if sys.argv[1:] == ["documents"]:
        README.write_text(readme(), encoding="utf-8")
    else:
        print(MADE[sys.argv[1]]())
