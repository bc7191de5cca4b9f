"""Results in KernelCI's format (KCIDB I/O schema 5.3, https://docs.kernelci.org/kcidb/).

A tree is a checkout, a kernel a build of it, and each row of a boot a test with its median.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from tollgate.records import provenance
from tollgate.records.format import MachineRun, Results
from tollgate.records.image import run_id
from tollgate.records.rules import told

VERSION = {"major": 5, "minor": 3}
ORIGIN = "tollgate"
OF_ROW = ("n", "min", "p90", "p99", "max", "mean", "low", "high", "batch", "residue", "sections")


def path(record: dict[str, Any]) -> str:
    words = [record["suite"], *record["id"].split("/")]
    return ".".join(re.sub(r"[^a-zA-Z0-9_-]", "_", word) or "_" for word in words)


def build(run: MachineRun, commit: str) -> dict[str, Any]:
    said, image = run.run, run.run.get("image", {})
    return {
        "id": f"{ORIGIN}:{image.get('kernel') or run_id(run)}",
        "origin": ORIGIN,
        "checkout_id": f"{ORIGIN}:{commit}",
        "architecture": {"amd64": "x86_64"}.get(said["arch"], said["arch"]),
        "compiler": said["tools"].get("compiler") or "",
        "misc": {"kernel": image.get("kernel"), "initrd": image.get("initrd")},
    }


def tests(run: MachineRun, built: str) -> list[dict[str, Any]]:
    said, boot = run.run, run_id(run)
    keys = ("platform", "unit", "cpu", "cpu_model", "hypervisor", "firmware", "cmdline", "tsc_hz")
    environment = {"comment": run.name, "misc": {key: said.get(key) for key in keys}}
    same = {"build_id": built, "origin": ORIGIN, "environment": environment}
    made = []
    for record in [*run.results, *run.skips]:
        test = {
            **same,
            "id": f"{ORIGIN}:{boot}:{record['suite']}:{record['id']}",
            "path": path(record),
        }
        doubt = run.doubts.get((record["suite"], record["id"]))
        if "median" not in record:
            test |= {"status": "SKIP", "comment": record["reason"]}
        else:
            test |= {"status": "DONE" if doubt else "PASS"}
            test |= {"comment": f"not certain: {doubt}"} if doubt else {}
            test |= {"number": {"value": record["median"], "unit": run.unit}}
            test |= {"misc": {key: record[key] for key in OF_ROW if key in record}}
        made.append(test)
    return made


def as_kcidb(files: Sequence[Results]) -> bytes:
    whole: dict[str, Any] = {"version": VERSION, "checkouts": [], "builds": [], "tests": []}
    for results in files:
        made = provenance.beside(results.path.parent)
        commit = made.commit if made else "unknown"
        exact = {"git_commit_hash": commit} if re.fullmatch("[0-9a-f]{40}", commit) else {}
        checkout = {"id": f"{ORIGIN}:{commit}", "origin": ORIGIN, "tree_name": ORIGIN, **exact}
        for run in results.runs:
            if not told(run):
                built = build(run, commit)
                whole["checkouts"] += [checkout] if checkout not in whole["checkouts"] else []
                whole["builds"] += [built] if built not in whole["builds"] else []
                whole["tests"] += tests(run, built["id"])
    return (json.dumps(whole, indent=1, sort_keys=True) + "\n").encode()
