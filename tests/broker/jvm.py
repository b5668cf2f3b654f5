"""Java programs as processes of their own, each of which ends with the tests that started it.

Starting, stopping and killing belong here. What is started is in `cluster`, `desk` and `clients`.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from dagster_project.java import find_java

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

STOP_TIMEOUT_S: Final = 180

PATTERN: Final = "[%d] %p %m (%c)%n"
"""The pattern that Kafka ships with."""

LOG4J_2: Final = f"""rootLogger.level = {{level}}
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = {PATTERN}
"""
LOG4J_1: Final = f"""log4j.rootLogger = {{level}}, stderr
log4j.appender.stderr = org.apache.log4j.ConsoleAppender
log4j.appender.stderr.target = System.err
log4j.appender.stderr.layout = org.apache.log4j.PatternLayout
log4j.appender.stderr.layout.ConversionPattern = {PATTERN}
"""
OPTIONS: Final = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Duser.timezone=UTC",
    "-Djava.net.preferIPv4Stack=true",
    "-Dzookeeper.jmx.log4j.disable=true",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
)
"""Start fast on few cores; what is opened, releases before 2.0 reach into when they unmap an index. An old ZooKeeper
wants classes of log4j for JMX that its successor doesn't have."""


def command(classpath: Sequence[Path | str], heap_mb: int, logging: Path, level: str) -> list[str]:
    """How Java is called with these jars, up to the class; the log goes to stderr."""
    for name, text in (("log4j2.properties", LOG4J_2), ("log4j.properties", LOG4J_1)):
        (logging / f"{level}-{name}").write_text(text.format(level=level))
    return [
        str(find_java().home / "bin" / "java"),
        f"-Xmx{heap_mb}m",
        *OPTIONS,
        f"-Dlog4j2.configurationFile={logging / f'{level}-log4j2.properties'}",
        f"-Dlog4j.configuration=file:{logging / f'{level}-log4j.properties'}",
        "-cp",
        os.pathsep.join(map(str, classpath)),
    ]


@dataclass
class Program:
    """One running program; what it prints is appended to two files, its stdin ends when these tests do."""

    arguments: Sequence[str]
    out: Path
    err: Path
    environment: Mapping[str, str] | None = None
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        """Start it, in a process group of its own."""
        with self.out.open("ab") as out, self.err.open("ab") as err:
            self.process = subprocess.Popen(
                self.arguments,
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=err,
                env=self.environment,
                start_new_session=True,
            )
        atexit.register(self.kill)

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def say(self, text: str) -> None:
        """Write to its stdin."""
        stdin = self.process.stdin
        if stdin is not None:
            stdin.write(text.encode())
            stdin.flush()

    def stop(self) -> None:
        """Ask it to end (SIGTERM) and wait; kill it when it doesn't."""
        if self.running:
            self.process.terminate()
        try:
            self.process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill()
        self._forget()

    def kill(self) -> None:
        """End it at once, with all that it started (SIGKILL): it can't say goodbye to anybody."""
        if self.running:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._forget()

    def wait(self, seconds: float) -> int:
        """Let it end by itself; its exit code."""
        code = self.process.wait(seconds)
        self._forget()
        return code

    def _forget(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        atexit.unregister(self.kill)
