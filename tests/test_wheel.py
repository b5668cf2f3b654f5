"""The wheel works without the repository: all that a run needs is inside, and nothing that only tests need."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
NEEDED: Final = (
    "dagster_project/demo/incident-4.3.tar.xz",
    "dagster_project/demo/truth.json",
    "dagster_project/log4j2.properties",
    "dagster_project/cli/reporting/templates/page.html",
    "assets/models/replays/replays.sql",
    "assets/models/macros/at_an_instant/lag_at.sql",
    "parsers/py.typed",
)
LOADED: Final = """
import assets, dagster_project, expectations, parsers
from dagster_project.definitions import defs
print(len(defs.resolve_all_asset_specs()), *(module.__file__ for module in (assets, dagster_project, parsers)))
"""
_LONGEST_S: Final = 1_800


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree; what builds it comes from the package index."""
    folder = tmp_path_factory.mktemp("dist")
    words = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--retries", "1", "--wheel-dir", str(folder), str(ROOT))
    done = _run(sys.executable, *words, folder=folder)
    if done.returncode and "hatchling" in done.stderr:
        pytest.skip(f"hatchling can't be had from the package index: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


def _run(*words: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program somewhere else than in the repository."""
    known = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LAGBOOK_"))}
    settings = {**known, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **environment}
    return subprocess.run(
        words, cwd=folder, capture_output=True, text=True, check=False, timeout=_LONGEST_S, env=settings
    )


def test_the_wheel_has_what_a_run_needs_and_no_test(wheel: Path) -> None:
    """Models, macros, templates, the demo's recording and the licence; only the four packages; no compiled loop."""
    names = set(zipfile.ZipFile(wheel).namelist())
    assert set(NEEDED) - names == set()
    models = {str(path.relative_to(ROOT)) for path in (ROOT / "assets" / "models").rglob("*.sql")}
    assert models - names == set()
    rooms = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert rooms == {"assets", "dagster_project", "expectations", "parsers"}
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert not any(name.endswith((".pyc", ".nbi", ".nbc")) for name in names)


def test_the_installed_wheel_loads_in_dagster_and_answers_doctor(wheel: Path, tmp_path: Path) -> None:
    """In a folder without the repository, over the packages of this environment."""
    place, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    words = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(place), str(wheel))
    assert _run(sys.executable, *words, folder=elsewhere).returncode == 0
    loaded = _run(sys.executable, "-c", LOADED, folder=elsewhere, PYTHONPATH=str(place))
    assert loaded.returncode == 0, loaded.stderr
    assets, *files = loaded.stdout.split()
    assert int(assets) > 50
    assert all(Path(file).is_relative_to(place) for file in files)
    doctor = _run(sys.executable, "-m", "dagster_project.cli", "doctor", folder=elsewhere, PYTHONPATH=str(place))
    assert "lagbook" in doctor.stdout
    assert "Traceback" not in doctor.stderr


@pytest.mark.slow
def test_the_demo_runs_from_a_fresh_installation(wheel: Path, tmp_path: Path) -> None:
    """Every package from the index, into an environment of its own: gigabytes, minutes."""
    home, python = tmp_path / "home", tmp_path / "env" / "bin" / "python"
    home.mkdir()
    assert _run(sys.executable, "-m", "venv", str(tmp_path / "env"), folder=tmp_path).returncode == 0
    constraints = str(ROOT / "constraints.txt")
    words = ("-m", "pip", "install", "--quiet", "--retries", "1", "--constraint", constraints, str(wheel))
    done = _run(str(python), *words, folder=tmp_path)
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip(f"the package index can't be reached: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr
    demo = _run(str(python.with_name("lagbook")), "demo", folder=home, HOME=str(home))
    assert demo.returncode == 0, demo.stderr
    assert "compiling the loops that read logs" in demo.stderr
    assert "4 incidents: 1 critical, 3 high." in demo.stdout
    again = _run(str(python.with_name("lagbook")), "doctor", "--warehouse", "demo/warehouse", folder=home)
    assert again.returncode == 0, again.stdout
