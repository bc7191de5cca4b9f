"""What `pip install` takes along beside the package: the few files of the tree that a verb reads
which needs no tree. `tollgate check` compares records with the kernel's tables and the budgets;
`tollgate scan` reads codes with the words that both sides know."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

TAKEN = (
    "kernel/version.h",
    "kernel/toll/cycle.c",
    "kernel/core/entry/*.def",
    "kernel/core/entry/*.asm",
    "tests/budgets.toml",
    "tools/rows.awk",
    "user/console/codes/words",
)


class WithTree(build_py):
    """The package, and TAKEN in its folder `tree`; where it runs from the tree itself, nothing."""

    def run(self) -> None:
        shutil.rmtree(self.build_lib, ignore_errors=True)  # what is gone from the package goes
        super().run()
        if self.editable_mode:
            return
        for pattern in TAKEN:
            found = sorted(Path().glob(pattern))
            if not found:
                raise FileNotFoundError(f"setup.py: there is no {pattern}")
            for file in found:
                to = Path(self.build_lib) / "tollgate" / "tree" / file
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, to)


setup(cmdclass={"build_py": WithTree}, options={"build": {"build_base": "build/pip"}})
