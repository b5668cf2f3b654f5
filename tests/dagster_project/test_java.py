"""Tests of finding Java: which is taken, what is said when there is none. The Java of this machine is not asked."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from dagster_project import java
from dagster_project.java import JavaMissingError, find_java, install_advice, package_command
from parsers.errors import LagbookError

REPO = Path(__file__).resolve().parents[2]

SPEAKS = """#!/bin/sh
case "$1" in
--list-modules) echo "java.base@{version}"; echo "{module}@{version}" ;;
*) printf '    java.home = %s\\n    java.specification.version = %s\\n' '{home}' '{version}' >&2 ;;
esac
"""


@dataclass(frozen=True)
class Machine:
    """A folder that plays the part of a machine's disk."""

    root: Path

    def install(self, name: str, script: str) -> Path:
        """Put a Java there that is a shell script; return its home."""
        home = self.root / name
        executable = home / "bin" / "java"
        executable.parent.mkdir(parents=True)
        executable.write_text(script.replace("{home}", str(home)), encoding="utf-8")
        executable.chmod(0o755)
        return home

    def install_java(self, name: str, version: str, module: str = java.SPARK_MODULE) -> Path:
        """Put a Java there that answers as the real one of that version does."""
        return self.install(name, SPEAKS.replace("{version}", version).replace("{module}", module))

    @property
    def homes(self) -> tuple[str, ...]:
        """The pattern that finds everything installed in its usual place."""
        return (str(self.root / "jvm" / "*"),)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine without Java."""
    return Machine(tmp_path)


@pytest.mark.parametrize("version", ["17", "21"])
def test_the_versions_of_spark_are_taken(machine: Machine, version: str) -> None:
    """Java 17 and 21 are usable, and the answer says where they are and what they are."""
    home = machine.install_java("jvm/one", version)
    java_home = find_java({}, machine.homes)
    assert (java_home.home, java_home.version) == (home, int(version))


def test_java_home_goes_before_path_and_path_before_the_usual_places(machine: Machine) -> None:
    """What the user named is preferred to what is only there."""
    named, on_path, usual = (machine.install_java(name, "17") for name in ("named", "on_path", "jvm/usual"))
    path = str(on_path / "bin")
    assert find_java({"JAVA_HOME": str(named), "PATH": path}, machine.homes).home == named
    assert find_java({"PATH": path}, machine.homes).home == on_path
    assert find_java({}, machine.homes).home == usual


def test_an_unusable_java_home_does_not_hide_a_usable_java(machine: Machine) -> None:
    """A JAVA_HOME of another version, of an empty folder or of a broken Java is passed over."""
    usual = machine.install_java("jvm/usual", "21")
    newer = machine.install_java("newer", "25")
    broken = machine.install("broken", "#!/bin/sh\nexit 1\n")
    for named in (newer, broken, machine.root / "nowhere"):
        assert find_java({"JAVA_HOME": str(named)}, machine.homes).home == usual


def test_a_link_on_the_path_leads_to_the_home_that_java_itself_names(machine: Machine) -> None:
    """The home is not guessed from where a link or a version manager's script stands."""
    home = machine.install_java("elsewhere", "17")
    links = machine.root / "links"
    links.mkdir()
    (links / "java").symlink_to(home / "bin" / "java")
    assert find_java({"PATH": str(links)}, ()).home == home


def test_the_sentence_names_what_was_found(machine: Machine) -> None:
    """One line that says what Spark needs, every Java that is there, and what to do."""
    old, new = machine.install_java("jvm/a", "1.8"), machine.install_java("jvm/b", "25")
    with pytest.raises(JavaMissingError) as raised:
        find_java({"JAVA_HOME": str(new)}, machine.homes)
    sentence = str(raised.value)
    assert sentence.startswith(f"Spark needs Java 17 or 21, and only Java 25 in {new}, Java 8 in {old} was found: ")
    assert install_advice() in sentence
    assert "\n" not in sentence


def test_without_any_java_the_sentence_says_none(machine: Machine) -> None:
    """A machine without Java is told so, as an error that the command line prints and nothing else."""
    with pytest.raises(LagbookError, match="Spark needs Java 17 or 21, and none was found: "):
        find_java({"PATH": str(machine.root)}, machine.homes)


def test_a_runtime_stripped_of_what_spark_loads_is_refused(machine: Machine) -> None:
    """A Java 17 without the vector module would die when Spark starts it, so it doesn't count."""
    home = machine.install_java("jvm/small", "17", module="java.logging")
    with pytest.raises(JavaMissingError, match=f"only Java 17 without jdk.incubator.vector in {home}"):
        find_java({}, machine.homes)


def test_a_java_that_hangs_is_given_up(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking a Java what it is ends after a while."""
    monkeypatch.setattr(java, "PROBE_TIMEOUT_S", 0.2)
    machine.install("jvm/stuck", "#!/bin/sh\nexec sleep 30\n")
    with pytest.raises(JavaMissingError, match="none was found"):
        find_java({}, machine.homes)


@pytest.mark.parametrize(
    ("system", "command"),
    [
        ({"ID": "debian", "VERSION_ID": "12"}, "apt-get install openjdk-17-jre-headless"),
        ({"ID": "debian", "VERSION_ID": "13"}, "apt-get install openjdk-21-jre-headless"),
        ({"ID": "debian"}, "apt-get install openjdk-21-jre-headless"),
        ({"ID": "ubuntu", "ID_LIKE": "debian", "VERSION_ID": "22.04"}, "apt-get install openjdk-17-jre-headless"),
        ({"ID": "ubuntu", "ID_LIKE": "debian", "VERSION_ID": "24.04"}, "apt-get install openjdk-21-jre-headless"),
        ({"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}, "apt-get install openjdk-21-jre-headless"),
        ({"ID": "fedora", "VERSION_ID": "42"}, "dnf install java-21-openjdk-headless"),
        ({"ID": "rocky", "ID_LIKE": "rhel centos fedora", "VERSION_ID": "9.5"}, "dnf install java-21-openjdk-headless"),
        ({"ID": "amzn", "ID_LIKE": "fedora", "VERSION_ID": "2023"}, "dnf install java-21-amazon-corretto-headless"),
        ({"ID": "opensuse-leap", "ID_LIKE": "suse opensuse"}, "zypper install java-21-openjdk-headless"),
        ({"ID": "arch"}, "pacman -S jre21-openjdk-headless"),
        ({"ID": "alpine", "VERSION_ID": "3.21.0"}, "apk add openjdk21-jre-headless"),
        ({"ID": "nixos", "VERSION_ID": "25.05"}, None),
    ],
    ids=lambda value: " ".join(value.values()) if isinstance(value, dict) else "",
)
def test_the_command_is_that_of_the_system(system: dict[str, str], command: str | None) -> None:
    """A system gets the command of its package manager, with the Java that its release has."""
    assert package_command(system) == command


def test_a_system_without_a_command_is_sent_to_a_download(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no package is known, the advice is a Java that installs anywhere."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: {"ID": "nixos"})
    assert install_advice() == "install Eclipse Temurin 21 from https://adoptium.net"


def test_it_runs_before_anything_is_installed() -> None:
    """The Makefile asks for Java first, so the module needs no package but the standard library."""
    program = f"import sys; sys.path.insert(0, {str(REPO)!r}); import dagster_project.java"
    alone = [sys.executable, "-I", "-S", "-c", program]
    done = subprocess.run(alone, check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_command_stops_with_the_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no Java, the whole output is the sentence, and the exit code says failure."""

    def refuse() -> None:
        raise JavaMissingError("Spark needs Java.")

    monkeypatch.setattr(java, "find_java", refuse)
    with pytest.raises(SystemExit, match=r"^Spark needs Java\.$"):
        java.main()


def test_the_command_names_the_java_that_will_be_used(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where there is one, its version and place are printed."""
    home = machine.install_java("jvm/one", "21")
    monkeypatch.setattr(java, "find_java", lambda: find_java({}, machine.homes))
    java.main()
    assert capsys.readouterr().out == f"Java 21 in {home}\n"
