"""Jars by their Maven coordinates, in a folder of the user's cache.

Fetching and the cache belong here. Which jars a release needs is in `releases`.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import urllib.request
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from dagster_project.java import find_java

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.broker.releases import Release

CENTRAL: Final = "https://repo1.maven.org/maven2/"
MIRROR: Final = ".//{*}mirror"
STANDS_FOR_CENTRAL: Final = re.compile(r"(?:^|,)\s*(?:\*|central|external:\*)\s*(?:,|$)")
REACH_TIMEOUT_S: Final = 10
FETCH_TIMEOUT_S: Final = 240

SETTINGS: Final = """<ivysettings>
  <settings defaultResolver="maven"/>
  <resolvers><ibiblio name="maven" m2compatible="true" root="{root}"/></resolvers>
</ivysettings>
"""
CONNECT_RUNTIME: Final = "connect-runtime"
MODULE: Final = """<ivy-module version="2.0">
  <info organisation="lagbook" module="kafka"/>
  <configurations><conf name="default"/></configurations>
  <dependencies>
    {dependencies}
    <exclude module="connect-runtime"/>
    <exclude module="rocksdbjni"/>
  </dependencies>
</ivy-module>
"""
"""Kafka's tools name Connect's runtime, a web server with all it needs, and the tools used here don't; Streams names a
database, and the application used here keeps no state."""

DEPENDENCY: Final = '<dependency org="{}" name="{}" rev="{}" conf="default->default"/>'


class UnavailableError(Exception):
    """Kafka can't be had here; the message says why."""


def cache() -> Path:
    """The folder that fetched jars stay in: LAGBOOK_KAFKA_CACHE, else one in the user's cache."""
    named = os.environ.get("LAGBOOK_KAFKA_CACHE")
    users = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(named) if named else users / "lagbook" / "kafka"


def repository() -> str:
    """Where jars come from: LAGBOOK_MAVEN, else the mirror of Central in the user's Maven settings, else Central."""
    named = os.environ.get("LAGBOOK_MAVEN") or _mirror(Path.home() / ".m2" / "settings.xml") or CENTRAL
    return named.rstrip("/") + "/"


def _mirror(settings: Path) -> str | None:
    """The first mirror that stands for Central; one that asks for a name and a password is not for us."""
    if not settings.is_file():
        return None
    root = ET.parse(settings).getroot()  # noqa: S314 - the user's own file
    mirrors = ({child.tag.rpartition("}")[2]: child.text for child in mirror} for mirror in root.findall(MIRROR))
    urls = [one.get("url") for one in mirrors if STANDS_FOR_CENTRAL.search(one.get("mirrorOf") or "")]
    return next(filter(None, urls), None)


def jars(release: Release) -> Path:
    """The folder with everything that a release needs to run; fetched when it is not in the cache."""
    wanted = _module(release) + " ".join(release.coordinates)
    folder = cache() / f"{release.version}-{hashlib.sha256(wanted.encode()).hexdigest()[:8]}"
    if not folder.is_dir():
        with _alone():
            _fetch(release, folder)
    return folder


def _module(release: Release) -> str:
    """What Ivy is asked for, without leaving out Connect's runtime where that is wanted by name."""
    is_named = any(f":{CONNECT_RUNTIME}:" in coordinate for coordinate in release.coordinates)
    return MODULE.replace(f'    <exclude module="{CONNECT_RUNTIME}"/>\n', "") if is_named else MODULE


@contextmanager
def _alone() -> Iterator[None]:
    """Let only one process at a time fill the cache."""
    cache().mkdir(parents=True, exist_ok=True)
    with (cache() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetch(release: Release, folder: Path) -> None:
    """Fetch into a folder beside it and rename at the end, so that a folder that is there is whole."""
    if folder.is_dir():  # another process was faster
        return
    root = repository()
    _reach(root, release)
    half = folder.with_name(f"{folder.name}.half")
    shutil.rmtree(half, ignore_errors=True)
    settings, module = cache() / "ivysettings.xml", cache() / "ivy.xml"
    settings.write_text(SETTINGS.format(root=root))
    dependencies = (DEPENDENCY.format(*coordinate.split(":")) for coordinate in release.coordinates)
    module.write_text(_module(release).format(dependencies="\n    ".join(dependencies)))
    pattern = f"{half}/[artifact]-[revision](-[classifier]).[ext]"
    _run_ivy("-settings", settings, "-ivy", module, "-retrieve", pattern, "-confs", "default", "-warn")
    half.rename(folder)


def _reach(root: str, release: Release) -> None:
    """Refuse at once where the repository can't be reached, instead of after Ivy's long patience."""
    group, artifact, version = release.coordinates[0].split(":")
    address = f"{root}{group.replace('.', '/')}/{artifact}/{version}/{artifact}-{version}.pom"
    try:
        urllib.request.urlopen(address, timeout=REACH_TIMEOUT_S).close()  # noqa: S310 - the user's own or Central
    except OSError as error:
        raise UnavailableError(f"{address} can't be fetched: {error}") from error


def _run_ivy(*arguments: str | Path) -> None:
    java = str(find_java().home / "bin" / "java")
    command = [java, *_proxies(), "-jar", _ivy(), "-cache", cache() / "ivy", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=FETCH_TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(f"fetching Kafka took longer than {FETCH_TIMEOUT_S} s") from error
    if done.returncode:
        raise UnavailableError(f"Ivy could not fetch Kafka:\n{(done.stdout + done.stderr)[-2000:]}")


def _proxies() -> Iterator[str]:
    """What tells Java of the proxies that the environment names."""
    for scheme, address in urllib.request.getproxies().items():
        parts = urlsplit(address)
        if scheme in {"http", "https"} and parts.hostname and parts.port:
            yield from (f"-D{scheme}.proxyHost={parts.hostname}", f"-D{scheme}.proxyPort={parts.port}")


def _ivy() -> Path:
    """Ivy, which reads Maven's repositories, comes with Spark."""
    spark = find_spec("pyspark")
    folders = spark.submodule_search_locations if spark else None
    jar_files = [jar for folder in folders or () for jar in Path(folder, "jars").glob("ivy-*.jar")]
    if not jar_files:
        raise UnavailableError("the installed pyspark has no Ivy, which fetches from Maven")
    return jar_files[0]
