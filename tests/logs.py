"""The logs of failed tests' guests: kept until another run fails."""

import fcntl
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from tollgate.machines.boot import BootResult
from tollgate.machines.plan import LOGS

RUN = "TOLLGATE_TEST_RUN"
"""In all workers' environment: identifies this run."""
MARK = "run"
"""The file that names the run of the logs."""


def keep(kept: Path, run: str, test: str, report: str, boots: Sequence[BootResult]) -> None:
    """Keep report and logs of a failed test; the first one of a run removes old ones."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        mark = kept / MARK
        if not mark.exists() or mark.read_text() != run:
            shutil.rmtree(kept, ignore_errors=True)
            kept.mkdir()
            mark.write_text(run)
    folder = kept / re.sub(r"[^\w.-]+", "_", test)
    folder.mkdir(exist_ok=True)
    (folder / "report.txt").write_text(report, errors="replace")
    for number, result in enumerate(boots):
        (folder / str(number)).mkdir(exist_ok=True)
        for name in LOGS:
            if (result.directory / name).exists():
                shutil.copyfile(result.directory / name, folder / str(number) / name)
