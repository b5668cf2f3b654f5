"""The Kafka releases that tests run: where their jars come from, and what differs between them when they start.

A row per release belongs here. How jars are fetched is in `maven`, how a broker is started in `cluster`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LOG4J_2: Final = "org.apache.logging.log4j:log4j-slf4j-impl:2.25.4"
RELOAD4J: Final = "org.slf4j:slf4j-reload4j:1.7.36"
JAXB: Final = "javax.xml.bind:jaxb-api:2.3.1"
"""Was part of Java until 10; the old releases make a cluster id with it."""
COMPILER: Final = "org.eclipse.jdt:ecj:3.40.0"
"""Compiles the programs of these tests where a Java without compiler is installed, as it is on a server."""

NEWEST: Final = "4.3.1"
BRIDGE: Final = "3.9.2"
"""The last clients and tools that speak to brokers before 2.1."""


@dataclass(frozen=True)
class Release:
    """One release of Kafka; `clients` is the one whose clients and tools speak to it."""

    version: str
    scala: str
    extras: tuple[str, ...]
    keeps_in: str
    clients: str
    programs: tuple[str, ...] = ()

    @property
    def zookeeper(self) -> bool:
        """Whether a ZooKeeper must run beside it."""
        return self.keeps_in == "zookeeper"

    @property
    def coordinates(self) -> tuple[str, ...]:
        """What to fetch, as `group:artifact:version`."""
        tools = (f"org.apache.kafka:kafka-tools:{self.version}", COMPILER) if self.programs else ()
        streams = (f"org.apache.kafka:kafka-streams:{self.version}",) if "StreamsMember" in self.programs else ()
        return (f"org.apache.kafka:kafka_{self.scala}:{self.version}", *self.extras, *tools, *streams)

    def since(self, version: str) -> bool:
        """Whether it is that version or a later one."""
        return _numbers(self.version) >= _numbers(version)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


FOR_ALL: Final = ("Tied", "Desk", "Client")
GROUPS_OF_4: Final = ("ShareMember", "ShareWorker", "StreamsMember")

RELEASES: Final = {
    row.version: row
    for row in (
        #       version     scala   extras             keeps_in     clients programs
        Release("4.3.1",    "2.13", (LOG4J_2,),        "kraft",     NEWEST, FOR_ALL + GROUPS_OF_4),
        Release("4.0.2",    "2.13", (LOG4J_2,),        "kraft",     NEWEST),
        Release("3.9.2",    "2.13", (RELOAD4J,),       "kraft",     BRIDGE, FOR_ALL),
        Release("2.8.2",    "2.13", (RELOAD4J,),       "zookeeper", NEWEST),
        Release("1.1.1",    "2.12", (RELOAD4J,),       "zookeeper", BRIDGE),
        Release("0.11.0.3", "2.12", (RELOAD4J, JAXB),  "zookeeper", BRIDGE),
        Release("0.10.2.2", "2.12", (RELOAD4J, JAXB),  "zookeeper", BRIDGE),
        Release("0.10.0.1", "2.11", (RELOAD4J, JAXB),  "zookeeper", BRIDGE),
    )
}  # fmt: skip
"""By version, newest first; `programs` are those of `java/` that are compiled against it.

0.9.0 and 0.8.2 start on Java 17 too, but they never answer a fetch there, not even to the consumers of their own.
"""

CONNECT: Final = Release(
    NEWEST,
    "2.13",
    (
        LOG4J_2,
        *(
            f"org.apache.kafka:{artifact}:{NEWEST}"
            for artifact in ("connect-runtime", "connect-mirror", "connect-file")
        ),
    ),
    "kraft",
    NEWEST,
)
"""Workers of Kafka Connect, with MirrorMaker 2 and the connectors for files."""

ADMINISTRABLE: Final = "0.11"
"""Kafka's own commands of today speak to brokers from here on; older ones make topics by themselves and are asked for
committed offsets by a consumer."""
