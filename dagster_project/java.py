"""Which Java Spark runs on: the places where one may be, the versions that count, and how to get one on this system.

Starting Spark belongs in the resources. The Makefile runs this module before anything is installed, so it and what
it imports know the standard library alone.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from parsers.errors import LagbookError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SUPPORTED: Final = (17, 21)
"""The versions that Spark 4.1 is tested on; with Java 25 its Arrow exchange with Python fails."""

SPARK_MODULE: Final = "jdk.incubator.vector"
"""Spark's launcher adds this module to every JVM; a runtime stripped of it doesn't start."""

PROBE_TIMEOUT_S: Final = 20

HOMES: Final = (
    "/usr/lib/jvm/*",
    "/usr/java/*",
    "/opt/java/*",
    "/usr/local/openjdk-*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
    "/usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
)
"""Where installers put Java, when neither JAVA_HOME nor PATH leads to a usable one."""

PACKAGES: Final = (
    # system         from release  command
    ("debian",              0.0, "apt-get install openjdk-17-jre-headless"),
    ("debian",             13.0, "apt-get install openjdk-21-jre-headless"),
    ("ubuntu",              0.0, "apt-get install openjdk-17-jre-headless"),
    ("ubuntu",             24.0, "apt-get install openjdk-21-jre-headless"),
    ("amzn",                0.0, "dnf install java-21-amazon-corretto-headless"),
    ("fedora",              0.0, "dnf install java-21-openjdk-headless"),
    ("rhel",                0.0, "dnf install java-21-openjdk-headless"),
    ("suse",                0.0, "zypper install java-21-openjdk-headless"),
    ("arch",                0.0, "pacman -S jre21-openjdk-headless"),
    ("alpine",              0.0, "apk add openjdk21-jre-headless"),
)  # fmt: skip
"""The command that installs a usable Java, per system and first release that has the package."""


class JavaMissingError(LagbookError):
    """No usable Java; the message names the unusable ones and what to install."""


@dataclass(frozen=True)
class Java:
    """One installed Java: set JAVA_HOME to `home` before Spark starts."""

    home: Path
    version: int
    complete: bool

    @property
    def usable(self) -> bool:
        """Whether Spark runs on it."""
        return self.version in SUPPORTED and self.complete

    def __str__(self) -> str:
        """Name it as the sentence about a missing Java does."""
        lack = "" if self.complete else f" without {SPARK_MODULE}"
        return f"Java {self.version}{lack} in {self.home}"


def find_java(environ: Mapping[str, str] = os.environ, homes: tuple[str, ...] = HOMES) -> Java:
    """Return the first usable Java of JAVA_HOME, PATH and the usual places."""
    refused: dict[Java, None] = {}
    for executable in _executables(environ, homes):
        java = _probe(executable)
        if java is not None and java.usable:
            return java
        if java is not None:
            refused[java] = None
    unusable = f"only {', '.join(map(str, refused))}" if refused else "none"
    wanted = " or ".join(map(str, SUPPORTED))
    message = f"Spark needs Java {wanted}, and {unusable} was found: {install_advice()}, or set JAVA_HOME."
    raise JavaMissingError(message)


def _executables(environ: Mapping[str, str], homes: tuple[str, ...]) -> Iterator[Path]:
    """Yield the places to look at, in the order of preference."""
    if environ.get("JAVA_HOME"):
        yield Path(environ["JAVA_HOME"], "bin", "java")
    on_path = shutil.which("java", path=environ.get("PATH", ""))
    if on_path:
        yield Path(on_path)
    for pattern in homes:
        absolute = Path(pattern).expanduser()
        anchor = Path(absolute.anchor)
        yield from sorted(anchor.glob(str(absolute.relative_to(anchor) / "bin" / "java")))


def _probe(executable: Path) -> Java | None:
    """The version and home that a Java prints; None when it doesn't run or doesn't print them."""
    printed = _output(executable, "-XshowSettings:properties", "-version")
    home = re.search(r"^\s*java\.home = (.+)$", printed, re.MULTILINE)
    version = re.search(r"^\s*java\.specification\.version = (?:1\.)?(\d+)$", printed, re.MULTILINE)
    if home is None or version is None:
        return None
    complete = int(version[1]) not in SUPPORTED or SPARK_MODULE in _output(executable, "--list-modules")
    return Java(Path(home[1]), int(version[1]), complete)


def _output(executable: Path, *arguments: str) -> str:
    """Return all that a Java prints, or nothing when it doesn't run."""
    try:
        done = subprocess.run(  # noqa: S603 - the user's own Java, no shell
            [executable, *arguments],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PROBE_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace") if done.returncode == 0 else ""


def install_advice() -> str:
    """Say how to install a usable Java on this system."""
    command = _mac_install_command() if sys.platform == "darwin" else _linux_install_command()
    return f"run `{command}`" if command else "install Eclipse Temurin 21 from https://adoptium.net"


def _mac_install_command() -> str | None:
    return "brew install openjdk@21" if shutil.which("brew") else None


def _linux_install_command() -> str | None:
    try:
        system = platform.freedesktop_os_release()
    except OSError:
        return None
    command = package_command(system)
    needs_sudo = os.geteuid() != 0 and shutil.which("sudo") is not None
    return f"sudo {command}" if command and needs_sudo else command


def package_command(system: Mapping[str, str]) -> str | None:
    """Return the install command for a system, or for the one it descends from, as its os-release file names them."""
    own, *ancestors = system["ID"], *system.get("ID_LIKE", "").split()
    release = _number(system.get("VERSION_ID", ""))
    for name, known_release in ((own, release), *((ancestor, None) for ancestor in ancestors)):
        rows = [row for row in PACKAGES if row[0] == name and (known_release is None or row[1] <= known_release)]
        if rows:
            return rows[-1][2]
    return None


def _number(version: str) -> float | None:
    """Read the release number; None for a rolling release, which has the newest packages."""
    match = re.match(r"\d+(\.\d+)?", version)
    return float(match[0]) if match else None


def main() -> None:
    """Name the Java that will be used, or stop with what to install."""
    try:
        java = find_java()
    except JavaMissingError as missing:
        sys.exit(str(missing))
    sys.stdout.write(f"{java}\n")


if __name__ == "__main__":
    main()
