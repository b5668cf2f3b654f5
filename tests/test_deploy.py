"""The examples of `deploy/` name what there is: commands, settings, paths; and Kubernetes accepts its own."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
import yaml  # type: ignore[import-untyped]

from tests.environments import environment

ROOT: Final = Path(__file__).parents[1]
DEPLOY: Final = ROOT / "deploy"
COMMANDS: Final = {"lagbook", "dagster-webserver", "dagster-daemon", "python3"}
"""What the image has on its path, besides the shell."""
KNOWN: Final = re.compile(r"NUMBA_CACHE_DIR|(?:LAGBOOK_[A-Z_]+)")


def objects() -> list[dict[str, Any]]:
    """The objects of the Kubernetes example."""
    return list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text("utf-8")))


def pods() -> dict[str, dict[str, Any]]:
    """The pods of the Kubernetes example, by the kind of what starts them."""
    pods_of_files = {}
    for one in objects():
        spec = one.get("spec", {}).get("jobTemplate", one).get("spec", {})
        if "template" in spec:
            pods_of_files[one["kind"]] = spec["template"]["spec"]
    return pods_of_files


def services() -> dict[str, dict[str, Any]]:
    """The services of the compose file."""
    text = (DEPLOY / "compose.yaml").read_text("utf-8")
    return dict(yaml.safe_load(text)["services"])


@pytest.mark.parametrize("version", ["1.30", "1.34"])
def test_the_kubernetes_example_fits_the_schemas_of_kubernetes(version: str) -> None:
    """Strictly: a field that Kubernetes does not know is refused."""
    python = environment("kubernetes-validate", "kubernetes-validate")
    words = (python.with_name("kubernetes-validate"), "--strict", "-k", version, DEPLOY / "kubernetes.yaml")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {one["kind"] for one in objects()} == {
        "Namespace", "ConfigMap", "Secret", "PersistentVolumeClaim", "Deployment", "CronJob",
    }  # fmt: skip


def test_every_container_of_kubernetes_is_restricted_and_writes_to_its_volumes_only() -> None:
    """No root, no capabilities, a read-only root; the volume is where the image has its own."""
    assert pods().keys() == {"Deployment", "CronJob"}
    for pod in pods().values():
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
        }  # fmt: skip
        assert "memory" in container["resources"]["limits"]
        assert {"/var/lib/lagbook", "/tmp"} <= {mount["mountPath"] for mount in container["volumeMounts"]}  # noqa: S108 - the container's


def test_the_compose_file_publishes_on_loopback_alone_and_starts_commands_of_the_image() -> None:
    """A recorder, a webserver, a daemon; Dagster asks for no password."""
    assert services().keys() == {"recorder", "webserver", "daemon"}
    for service in services().values():
        assert service.get("command", ["lagbook"])[0] in COMMANDS
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]


def test_settings_of_the_examples_are_settings_of_lagbook() -> None:
    """A variable with another name would be passed over without a word."""
    read = (ROOT / "dagster_project" / "settings.py").read_text() + (
        ROOT / "dagster_project" / "reaching.py"
    ).read_text()
    read += (ROOT / "dagster_project" / "loops.py").read_text()
    for file in ("compose.yaml", "kubernetes.yaml", "Containerfile"):
        for name in KNOWN.findall((DEPLOY / file).read_text("utf-8")):
            assert name in read, f"{file}: {name}"


def test_the_image_is_made_of_what_the_wheel_is_made_of() -> None:
    """Every package of the wheel is copied, runs are without root, and the build's context lets each through."""
    recipe = (DEPLOY / "Containerfile").read_text("utf-8")
    wheel = (ROOT / "pyproject.toml").read_text("utf-8")
    (packages,) = re.findall(r"^packages = \[(.+)\]$", wheel, re.MULTILINE)
    context = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"}
    for package in re.findall(r'"(\w+)"', packages):
        assert f"COPY {package} {package}" in recipe
        assert package in context
    assert all((ROOT / name).exists() for name in context)
    assert re.search(r"^USER 10001:10001$", recipe, re.MULTILINE)
    assert "HEALTHCHECK" in recipe
