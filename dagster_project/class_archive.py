"""The classes of Spark as Java has them in memory, in a file: `python -m dagster_project.class_archive` makes it, once.

With it Java loads Spark in half the time. It is of one Java and one installation: any other passes it over, and a
session starts without it as well. Sessions are started in `dagster_project.spark_session`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dagster_project.java import find_java
from parsers.errors import LagbookError

if TYPE_CHECKING:
    from dagster_project.java import Java

MAKE: Final = """
import sys
from dagster_project.spark_session import start_session
start_session("local[*]", f'"-XX:ArchiveClassesAtExit={sys.argv[1]}"').stop()
"""
QUIET: Final = "-Xlog:cds=off -Xlog:cds+dynamic=off"
"""Java would say on each start that an archive is of another installation."""
TIMEOUT_S: Final = 600


def archive_path(java: Java) -> Path:
    """The place of the archive for a Java: in the installation whose Spark it is of."""
    return Path(sys.prefix, "share", "lagbook", f"spark-{version('pyspark')}-java-{java.version}.jsa")


def java_options(java: Java) -> str:
    """The options by which a Java uses its archive; none where there is no archive."""
    path = archive_path(java)
    return f'"-XX:SharedArchiveFile={path}" {QUIET}' if path.is_file() else ""


def make(java: Java) -> Path:
    """Start Spark once and let its Java write at its end what it had loaded.

    Java is done when nobody holds the pipe of its output any more, which is later than the Python that started it.
    """
    path = archive_path(java)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    command = [sys.executable, "-c", MAKE, str(beside)]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=TIMEOUT_S)  # noqa: S603 - its own
        if done.returncode or not beside.is_file():
            last = (done.stderr.strip() or done.stdout.strip() or "no reason given").splitlines()[-1]
            raise LagbookError(f"{path} was not made: {last}")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return path


def main() -> None:
    """Make the archive of the Java that runs would use, or stop with the reason."""
    try:
        path = make(find_java())
    except (LagbookError, OSError) as error:
        sys.exit(str(error))
    sys.stdout.write(f"{path}: {path.stat().st_size >> 20} MiB\n")


if __name__ == "__main__":
    main()
