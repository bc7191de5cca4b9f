"""Programs in Go, Rust and Zig, which wait for many files and for children: in both rings they end
as on this host."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tollgate.machines.boot import ROOT
from tollgate.machines.child import run

from .test_strangers import debians

SOURCES = ROOT / "tests" / "languages"


def go(source: Path, out: Path, arch: str = "amd64") -> None:
    compiler = shutil.which("go") or pytest.skip("there is no Go here: Debian has golang-go")
    environment = ["env", "CGO_ENABLED=0", f"GOCACHE={out.parent}/cache", f"GOPATH={out.parent}"]
    width = f"GOARCH={arch.removeprefix('i')}"
    subprocess.run([*environment, width, compiler, "build", "-o", out, source], check=True)


def rust(source: Path, out: Path, arch: str = "amd64") -> None:
    compiler = shutil.which("rustc") or pytest.skip("there is no Rust here: Debian has rustc")
    target = {"amd64": "x86_64", "i386": "i686"}[arch] + "-unknown-linux-gnu"
    root = Path(run([compiler, "--print", "sysroot"], 60).stdout.strip())
    if not (root / "lib" / "rustlib" / target).exists():
        pytest.skip(f"Rust has no library for {arch} here: Debian has libstd-rust-dev:{arch}")
    options = f"--target {target} -O -C target-feature=+crt-static -C relocation-model=static -o"
    subprocess.run([compiler, *options.split(), out, source], check=True)


def zig(source: Path, out: Path, arch: str = "amd64") -> None:
    here = importlib.util.find_spec("ziglang")
    compiler = [sys.executable, "-m", "ziglang"] if here else [shutil.which("zig") or ""]
    if not compiler[0] or not run([*compiler, "version"], 60).stdout.startswith("0.17."):
        pytest.skip("there is no Zig 0.17 here: PyPI has ziglang")
    target = {"amd64": "x86_64", "i386": "x86"}[arch] + "-linux-musl"
    options = f"build-exe -O ReleaseSafe --image-base 0x8000000 -target {target}".split()
    caches = f"--cache-dir {out.parent} --global-cache-dir {out.parent}".split()
    subprocess.run([*compiler, *options, *caches, source, f"-femit-bin={out}"], check=True)


PROGRAMS = {"go_child": go, "go_http": go, "rust_all": rust, "zig_child": zig}


@pytest.mark.long
@pytest.mark.parametrize("arch", ["amd64", "i386"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_ends_as_on_linux(boot: Any, tree: Any, tmp_path: Path, name: str, arch: str) -> None:
    """One boot runs it in ring 3, then in ring 0."""
    source = next(SOURCES.glob(f"{name}.*"))
    program = tmp_path / name
    PROGRAMS[name](source, program, arch)
    busybox = debians(arch, "busybox-static", "bin/busybox", tmp_path / "busybox")
    here = run([program], 60, cwd=tmp_path)
    files = {f"{folder}/{name}": program.read_bytes() for folder in ("bin", "trusted")}
    files |= {"bin/busybox": busybox, "tmp/.here": b""}
    result = boot(arch, "EPYC", f"suite={name}", module=tree(files), memory=512, timeout=120.0)
    assert result.outcome.value == "pass", result.reason
    lines = here.stdout.splitlines()
    assert here.returncode == 0
    assert [line for line in result.text.splitlines() if line in lines] == 2 * lines
