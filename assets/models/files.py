"""The files of models and macros: where each is by its name, which is unique wherever it lies.

Put here the finding and reading of files. What their SQL means belongs in `assets.models.macro_calls` and
`assets.models`.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
MACROS_FOLDER: Final = "macros"
INTERMEDIATE_FOLDER: Final = "intermediate"
"""Files below a folder of this name are common table expressions of the models that read them."""


def model(name: str) -> str:
    """The SQL of a model."""
    return _read(_paths(FOLDER)[0], name)


def model_path(name: str) -> Path:
    """The file of a model."""
    return _paths(FOLDER)[0][name]


def macro(name: str) -> str:
    """The SQL of a macro's body."""
    return _read(_paths(FOLDER)[1], name)


def model_names() -> list[str]:
    """The names of all models but the intermediate ones."""
    return sorted(name for name, path in _paths(FOLDER)[0].items() if not _is_intermediate(path))


def intermediate_names() -> frozenset[str]:
    """The names of the intermediate models."""
    return _intermediate_names(FOLDER)


def without_comments(sql: str) -> str:
    """The SQL alone."""
    return re.sub(r"--.*", "", sql)


def _read(paths: dict[str, Path], name: str) -> str:
    return paths[name].read_text(encoding="utf-8")


def _is_intermediate(path: Path) -> bool:
    return INTERMEDIATE_FOLDER in path.relative_to(FOLDER).parts


@cache
def _intermediate_names(folder: Path) -> frozenset[str]:
    return frozenset(name for name, path in _paths(folder)[0].items() if _is_intermediate(path))


@cache
def _paths(folder: Path) -> tuple[dict[str, Path], dict[str, Path]]:
    """The files of models and those of macros, by name."""
    paths_by_kind: tuple[dict[str, Path], dict[str, Path]] = ({}, {})
    for path in sorted(folder.rglob("*.sql")):
        paths = paths_by_kind[MACROS_FOLDER in path.relative_to(folder).parts]
        if path.stem in paths:
            raise ValueError(f"{path}: there is already {paths[path.stem]}, and names of models are unique")
        paths[path.stem] = path
    return paths_by_kind
