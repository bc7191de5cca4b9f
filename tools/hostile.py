"""Arguments for hostile system calls: `hostile.py SYS.DEF... > hostile.def`.

TAKES(name, kinds) is each call of the tables with the kinds of its arguments, according to the
parameters' names in the kernel's source: f a descriptor, p a path, b an address, n a number, e an
address or a number.
NARROW(value) is each number that fits into 32 bits, LARGE(value) the others: 0, -1, each single
bit, each constant of the kernel's source, and its neighbours.
"""

import re
import sys
from pathlib import Path

ADDRESSES = (
    "address arguments at environment excepted from head in mask other out parent_tid place start"
    " stack time time_or_count times to vectors zone"
).split()
"""Parameters that are addresses, besides those ending in `_at`."""
PARAMETERS = re.compile(r"^long sys_(\w+)\(([^)]*)\)\n\{", re.M)
MACRO = re.compile(r"^#define (\w+)\(([^)]*)\)((?:.*\\\n)+.*\n)", re.M)
CONSTANT = re.compile(r"^(?:#define |\s+)([A-Z]\w+)(?: =)? ([^,\n]*?),?(?:\s*/\*.*)?$", re.M)


def kind(parameter: str) -> str:
    """The letter for a parameter."""
    for end, letter in (("fd", "f"), ("text", "p"), ("_at", "b")):
        if parameter.endswith(end):
            return letter
    return "e" if parameter == "argument" else "b" if parameter in ADDRESSES else "n"


def made(source: str) -> str:
    """The functions that the source's macros make."""
    found = []
    for name, words, body in MACRO.findall(source):
        for given in re.findall(rf"^{name}\(([^)]*)\)$", source, re.M) * ("long sys_" in body):
            text = re.sub(r" *\\\n +", "\n", body)
            for word, value in zip(words.split(", "), given.split(", "), strict=True):
                text = re.sub(rf"(?:##)?\b{word}\b(?:##)?", value, text)
            found.append(text)
    return "\n".join(found)


def calls(tables: list[str], source: str) -> dict[str, str]:
    """Each call's name and its arguments' kinds."""
    source += made(source)
    takes = dict(PARAMETERS.findall(source + made(source)))  # a macro may use another
    takes["getpid"] = ""  # the entries' own
    names = re.findall(r"\b\w*CALL\w*\((\w+), \d", "".join(Path(t).read_text() for t in tables))
    used = {name: re.findall(r"(?<!UNUSED )long (\w+)", takes[name]) for name in names}
    return {name: "".join(map(kind, parameters)) for name, parameters in used.items()}


def constants(source: str) -> dict[str, int]:
    """The names and values of all object-like macros and enumerators with a number."""
    known: dict[str, int] = {}
    for _ in range(4):  # values may name other constants
        for name, text in CONSTANT.findall(source):
            plain = re.sub(r"\((?:u?int\d*_t|uintptr_t|size_t|long)\)", "", text)
            plain = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", plain)
            plain = re.sub(r"\b0(\d+)\b", r"0o\1", plain).replace("/", "//")
            try:
                value = eval(plain, {"__builtins__": {}}, known)
            except (SyntaxError, NameError, TypeError, ValueError, ArithmeticError):
                continue  # not a number
            if isinstance(value, int):
                known[name] = value
    return known


def main(tables: list[str]) -> None:
    """Write the table."""
    files = [path for end in "hc" for path in sorted(Path("kernel").rglob(f"*.{end}"))]
    source = "".join(path.read_text() for path in files)
    found = constants(source).values()
    near = {value + by for value in found for by in (-1, 0, 1)}
    near |= {0, -1, *(1 << bit for bit in range(64))}
    words = sorted({value % (1 << 64) for value in near})
    narrow = [word for word in words if word < 1 << 32 or word >= (1 << 64) - (1 << 31)]
    for name, kinds in calls(tables, source).items():
        print(f'TAKES({name}, "{kinds}")')
    for word in [*narrow, *sorted(set(words) - set(narrow))]:
        print(f"{'NARROW' if word in narrow else 'LARGE'}({word:#x})")


if __name__ == "__main__":
    main(sys.argv[1:])
