"""nearest.py KIND WORD KNOWN... - the sentence for a word that nobody knows, for the Makefile.

Python's standard library alone: it runs before anything is installed.
"""

import difflib
import sys


def sentence(kind: str, word: str, known: list[str]) -> str:
    """Say that there is no such word, and the nearest that there is, or all of them."""
    lower = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), lower, n=2, cutoff=0.6)
    meant = " or ".join(lower[name] for name in near)
    if meant:
        return f"There is no {kind} {word}; did you mean {meant}? `make help' lists them"
    return f"There is no {kind} {word}; there are {', '.join(sorted(known))}"


if __name__ == "__main__":
    print(sentence(sys.argv[1], sys.argv[2], sys.argv[3:]))
