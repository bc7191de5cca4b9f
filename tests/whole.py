"""`make test-all`: its parts one after the other, whatever came of those before, and a table of
what each cost.

    python -m tests.whole make -s PART...
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence

from .cost import duration, spent

LINE = "{:<15} {:<8} {:>16} {:>16}"
HEAD = LINE.format("", "", "processor time", "wall time")


def whole(make: Sequence[str], parts: Sequence[str]) -> int:
    """Run each part, a target of make; 0 if all have passed."""
    begun, used = time.monotonic(), spent()
    lines, failed = [HEAD], False
    for part in parts:
        print(f"== make {part}", flush=True)
        before, processor = time.monotonic(), spent()
        status = subprocess.run([*make, part], check=False).returncode
        failed = failed or bool(status)
        took = duration(spent() - processor), duration(time.monotonic() - before)
        lines.append(LINE.format(part, "failed" if status else "passed", *took))
    took = duration(spent() - used), duration(time.monotonic() - begun)
    lines.append(LINE.format("in all", "failed" if failed else "passed", *took))
    print("\n".join(lines), flush=True)
    return int(failed)


def main(words: Sequence[str]) -> int:
    """The words up to the last one with a hyphen before it are the command of make's."""
    first = 1 + max(number for number, word in enumerate(words) if word.startswith("-"))
    return whole(words[:first], words[first:])


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
