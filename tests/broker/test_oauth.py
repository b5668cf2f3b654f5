"""A real broker that takes tokens alone: who gets in, what is said to others, and what happens when a token ends."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from assets.ingest.live.access import Access
from assets.ingest.live.cluster import LiveCluster
from assets.ingest.plan import Sources
from assets.storage.warehouse import Warehouse
from parsers.errors import SourceError
from tests.broker.clients import Clients
from tests.broker.cluster import running
from tests.broker.commands import Commands
from tests.broker.conftest import available
from tests.broker.oauth import ALLOWED, SECRET, issuing, restart_with_tokens, token_settings
from tests.broker.reader import read
from tests.broker.recorder import record_once, recorded, recording
from tests.broker.releases import NEWEST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.broker.cluster import Cluster
    from tests.broker.oauth import Issuer

TOPIC: Final = "orders"
LIVES_S: Final = 8
SESSION_MS: Final = 4_000


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    """An endpoint whose tokens end soon."""
    with issuing(LIVES_S) as issuer:
        yield issuer


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A broker with commits of twenty groups."""
    folder = tmp_path_factory.mktemp("oauth")
    with pytest.MonkeyPatch.context() as patch, running(available(NEWEST), folder / "cluster") as cluster:
        patch.setenv("JDK_JAVA_OPTIONS", f"-D{ALLOWED}={(folder / 'keys.json').as_uri()}")
        clients = Clients(cluster, folder / "clients")
        Commands(cluster, folder / "commands").create_topic(TOPIC, 3)
        for number in range(20):
            clients.commit(f"group-{number}", {(TOPIC, 0): number})
        yield cluster


@pytest.fixture(scope="module")
def door(cluster: Cluster, issuer: Issuer) -> str:
    """Its listener for tokens, which asks for another one every four seconds."""
    return restart_with_tokens(cluster.broker, issuer, cluster.folder.parent, SESSION_MS)


@pytest.fixture
def config(tmp_path: Path, issuer: Issuer) -> Path:
    """The settings of a client with an id and a secret."""
    path = tmp_path / "client.properties"
    path.write_text(token_settings(issuer))
    return path


def test_a_client_of_the_endpoint_reads(door: str, config: Path, tmp_path: Path) -> None:
    """One token is enough for a run, and the warehouse has no trace of it."""
    warehouse = Warehouse(str(tmp_path / "warehouse"))
    assert read(warehouse, Sources((), live=Access(door, str(config)))) >= 20
    written = b"".join(path.read_bytes() for path in (tmp_path / "warehouse").rglob("*") if path.is_file())
    assert SECRET.encode() not in written


@pytest.mark.slow
def test_a_session_outlives_its_tokens(door: str, config: Path, issuer: Issuer) -> None:
    """The broker asks again every four seconds; by then there is a new token before the last one ends."""
    token_count = len(issuer.requests)
    with LiveCluster(Access(door, str(config))) as live:
        ends = time.monotonic() + 2.5 * LIVES_S
        while time.monotonic() < ends:
            assert live.topic(TOPIC) is not None
            live.turn(0.2)
    assert 2 <= len(issuer.requests) - token_count <= 5


@pytest.mark.slow
def test_a_recorder_goes_on_while_the_endpoint_is_away(
    cluster: Cluster, door: str, config: Path, issuer: Issuer, tmp_path: Path
) -> None:
    """It says so, waits, and has everything when tokens come again; no secret is in what it says, does or writes."""
    clients = Clients(cluster, tmp_path / "clients")
    with recording(door, tmp_path / "rec", "--client-config", str(config)) as recorder:
        recorder.wait_for(recorded(cluster.broker.node.logs))
        assert SECRET not in Path(f"/proc/{recorder.process.pid}/cmdline").read_text()
        issuer.status = 503
        clients.commit("while-away", {(TOPIC, 1): 1})
        time.sleep(2 * LIVES_S)
        assert recorder.process.poll() is None, recorder.output
        issuer.status = 200
        clients.commit("afterwards", {(TOPIC, 1): 2})
        recorder.wait_for(recorded(cluster.broker.node.logs))
        assert recorder.stop() == 0
        assert "token endpoint 127.0.0.1 gave no token: HTTP 503" in recorder.output
        assert SECRET not in recorder.output
    written = b"".join(path.read_bytes() for path in (tmp_path / "rec").rglob("*") if path.is_file())
    assert SECRET.encode() not in written


def test_a_python_function_can_give_the_tokens(
    door: str, issuer: Issuer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its name, with one argument, and with the end of the token in milliseconds, as AWS's signer has it."""
    (tmp_path / "my_tokens.py").write_text(
        "import time\n"
        "def generate(region):\n"
        "    assert region == 'eu-west-1'\n"
        f"    return {issuer.token()!r}, int(time.time() * 1000) + 5000\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    config = tmp_path / "client.properties"
    config.write_text(
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=OAUTHBEARER\nsasl.oauthbearer.config=eu-west-1\n"
        "sasl.oauthbearer.token.provider=my_tokens:generate\n"
    )
    with LiveCluster(Access(door, str(config))) as live:
        assert live.topic(TOPIC) is not None


def test_who_is_turned_away_gets_one_sentence(door: str, issuer: Issuer, tmp_path: Path) -> None:
    """A wrong secret by the endpoint, a token of another issuer by the broker; without the secret in it."""
    config = tmp_path / "client.properties"
    config.write_text(token_settings(issuer, f"{SECRET}-wrong"))
    with pytest.raises(SourceError, match=r"token endpoint 127\.0\.0\.1 gave no token: HTTP 401 invalid_client") as no:
        LiveCluster(Access(door, str(config)))
    refused = record_once(door, tmp_path / "refused", "--client-config", str(config))
    assert (refused.returncode, refused.stderr.count("gave no token: HTTP 401")) == (2, 1)
    assert SECRET not in str(no.value) + refused.stderr
    with issuing(LIVES_S) as stranger:
        config.write_text(token_settings(stranger))
        with pytest.raises(SourceError, match="can't be reached"):
            LiveCluster(Access(door, str(config)))
