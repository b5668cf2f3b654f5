"""The programs that are compared from outside: `lagbook dump`, kafka-dump-log, and a loop over Kafka's own classes.

Only how each is called belongs here. Kafka's are there when KAFKA_LIBS names a folder with the jars of a Kafka release.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final
from zipfile import ZipFile

from benchmarks.rounds import ROOT, Round, Rounds, pinned, run_program

_BENCH: Final = ROOT / "benchmarks" / "kafka" / "FileRecordsBench.java"
_ROUNDS_TO_WARM_UP: Final = 3
_DUMP: Final = "org/apache/kafka/tools/DumpLogSegments"
_LAGBOOK: Final = (sys.executable, "-m", "dagster_project.cli")


def kafka_jars() -> Path | None:
    """Give the folder of Kafka's jars, or None when there is none or no Java to run them."""
    folder = os.environ.get("KAFKA_LIBS")
    return Path(folder) if folder and shutil.which("java") and shutil.which("javac") else None


def has_dump() -> bool:
    """Say whether this Lagbook has the command `dump`."""
    call = subprocess.run([*_LAGBOOK, "dump", "--help"], cwd=ROOT, capture_output=True, check=False)  # noqa: S603
    return call.returncode == 0


def lagbook_dump(path: Path, rounds: int) -> Rounds:
    """Measure `lagbook dump`, the start of Python included."""
    return run_program([*_LAGBOOK, "dump", str(path)], rounds)


def kafka_dump_log(jars: Path, path: Path, rounds: int) -> Rounds:
    """Measure what kafka-dump-log.sh --offsets-decoder runs, the start of the JVM included."""
    tool = [_dump_class(jars), "--offsets-decoder", "--files", str(path)]
    return run_program(["java", "-cp", f"{jars}/*", *tool], rounds)


def _dump_class(jars: Path) -> str:
    """Give the name of the class that kafka-dump-log.sh runs: it moved into the jar of the tools after Kafka 4.1."""
    names = (name for jar in jars.glob("kafka-tools-[0-9]*.jar") for name in ZipFile(jar).namelist())
    return _DUMP.replace("/", ".") if f"{_DUMP}.class" in names else "kafka.tools.DumpLogSegments"


def kafka_classes(jars: Path, path: Path, way: str, rounds: int) -> Rounds:
    """Measure Kafka's own classes in one JVM, after some rounds for the JIT compiler; `way` is pieces or batches."""
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["javac", "-cp", f"{jars}/*", "-d", scratch, str(_BENCH)], check=True)  # noqa: S603, S607
        command = ["java", "-cp", f"{scratch}{os.pathsep}{jars}/*", _BENCH.stem, str(path), way]
        done = subprocess.run(  # noqa: S603 - the program above
            pinned([*command, str(_ROUNDS_TO_WARM_UP + rounds)]), check=True, stdout=subprocess.PIPE, text=True
        )
    lines = [line.split() for line in done.stdout.splitlines()]
    times = tuple(Round(float(seconds), float(cpu_seconds)) for seconds, cpu_seconds, _count in lines)
    return Rounds(int(lines[0][2]), times[_ROUNDS_TO_WARM_UP:], times[0])
