"""The bill of materials of a release: what is in its files, and what they were made with.

The format is SPDX 2.3's JSON (https://spdx.github.io/spdx-spec/v2.3/).
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

INSIDE = {
    "grub-pc-bin": "GPL-3.0-or-later",
    "grub-efi-amd64-bin": "GPL-3.0-or-later",
    "console-setup-linux": "NOASSERTION",
    "seabios": "LGPL-3.0-or-later",
}
"""Debian's packages of which a part is in the ISO or in the page, and their licences: GRUB, the
screen's font, the firmware of the page's PC."""
TOOLS = ("binutils", "cpio", "gcc", "grub-common", "make", "mtools", "nasm", "xorriso")
"""Those that a release is made with."""
SOURCES = {"qr-code-generator": ("1.8.0", "MIT"), "v86": ("0.5.462", "BSD-2-Clause")}
"""Others' work that is built in (tools/fetch.sh, tools/v86.sh): their versions and licences."""
NAMESPACE = "https://spdx.org/spdxdocs/tollgate"


def versions(packages: Sequence[str]) -> dict[str, str]:
    """Debian's versions; "NOASSERTION" on a system that has no dpkg, or not that package."""
    show = ["dpkg-query", "-W", "-f", "${Package} ${Version}\n", *packages]
    try:
        said = subprocess.run(show, capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        said = ""
    found = dict(line.split() for line in said.splitlines() if len(line.split()) == 2)
    return {package: found.get(package, "NOASSERTION") for package in packages}


def package(name: str, version: str, licence: str) -> dict[str, Any]:
    """A package as SPDX has it."""
    return {
        "SPDXID": f"SPDXRef-Package-{name}",
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "filesAnalyzed": False,
    }


def bill(commit: str, version: str, files: Sequence[Path]) -> dict[str, Any]:
    """The document; its date is the commit's ($SOURCE_DATE_EPOCH)."""
    found = versions([*INSIDE, *TOOLS])
    packages = [package("tollgate", f"{version} ({commit})", "NOASSERTION")]
    packages += [package(name, found[name], INSIDE.get(name, "NOASSERTION")) for name in found]
    packages += [package(name, *of) for name, of in SOURCES.items()]
    kinds = dict.fromkeys([*INSIDE, *SOURCES], "CONTAINS") | dict.fromkeys(TOOLS, "BUILD_TOOL_OF")
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Package-tollgate")]
    for name, kind in kinds.items():
        pair = ("SPDXRef-Package-tollgate", f"SPDXRef-Package-{name}")
        first, last = pair if kind == "CONTAINS" else pair[::-1]
        relations.append((first, kind, last))
    listed = []
    for number, file in enumerate(files):
        identity = f"SPDXRef-File-{number}"
        sums = [
            {
                "algorithm": name.upper(),
                "checksumValue": hashlib.new(name, file.read_bytes()).hexdigest(),
            }
            for name in ("sha1", "sha256")
        ]
        listed.append({"SPDXID": identity, "fileName": f"./{file.name}", "checksums": sums})
        relations.append(("SPDXRef-Package-tollgate", "GENERATES", identity))
    date = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"tollgate-{version}",
        "documentNamespace": f"{NAMESPACE}-{version}-{commit}",
        "creationInfo": {
            "created": date.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": [f"Tool: tollgate-{version}"],
        },
        "packages": packages,
        "files": listed,
        "relationships": [
            {"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": last}
            for first, kind, last in relations
        ],
    }


def main(arguments: Sequence[str]) -> None:
    """COMMIT VERSION OUT FILE..."""
    commit, version, out, *files = arguments
    document = bill(commit, version, [Path(file) for file in files])
    Path(out).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
