"""The Java programs of these tests, compiled once per release and text of theirs.

Compiling belongs here. What they do is in `java/`, how they are called in `desk` and `clients`.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.broker.jvm import Program, command
from tests.broker.maven import cache, jars
from tests.broker.releases import RELEASES

if TYPE_CHECKING:
    from tests.broker.releases import Release

SOURCES: Final = Path(__file__).with_name("java")
COMPILER: Final = "org.eclipse.jdt.internal.compiler.batch.Main"
HEAP_MB: Final = 384
TIMEOUT_S: Final = 300


def classpath(release: Release, scratch: Path) -> tuple[str, str]:
    """Where Java finds the programs that speak to a release, and what they need of Kafka."""
    return str(programs(release, scratch)), f"{jars(RELEASES[release.clients])}/*"


def programs(spoken_to: Release, scratch: Path) -> Path:
    """The classes, compiled against the release whose clients speak to this one."""
    release = RELEASES[spoken_to.clients]
    sources = [SOURCES / f"{name}.java" for name in release.programs]
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]
    folder = cache() / "classes" / f"{release.version}-{digest}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            _compile(release, sources, scratch).replace(folder)
    return folder


def _compile(release: Release, sources: list[Path], scratch: Path) -> Path:
    """Compile into a folder beside the one that takes its name when it is whole."""
    half = cache() / "classes" / f"{release.version}-{os.getpid()}"
    java = command([f"{jars(release)}/*"], HEAP_MB, scratch, "WARN")
    class_path = os.pathsep.join(map(str, jars(release).glob("*.jar")))
    words = ["-source", "17", "-target", "17", "-nowarn", "-proc:none", "-cp", class_path, "-d", str(half)]
    program = Program([*java, COMPILER, *words, *map(str, sources)], scratch / "compiler.txt", scratch / "compiler.txt")
    if program.wait(TIMEOUT_S):
        raise RuntimeError(f"the programs don't compile: {program.out.read_text()}")
    return half
