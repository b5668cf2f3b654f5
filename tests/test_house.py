"""What the house promises about its own code and what no linter asks: sizes, names, docstrings, portable files.

Put here what must hold for every module alike. What one module does is tested in the room that mirrors it.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

import duckdb
import pytest
import tomli

from assets.catalog import TABLES as TABLES_OF_CATALOG

if TYPE_CHECKING:
    from collections.abc import Iterator

REPO: Final = Path(__file__).resolve().parents[1]
ROOMS: Final = ("assets", "dagster_project", "expectations", "parsers")

VAGUE: Final = re.compile(r"_?(?:\w+_)?(?:utils?|helpers?|common|base|managers?|misc|stuff|tools?)")
PARTICIPLES: Final = re.compile(
    r"_*(?:(?:told|said|stood|kept|heard|seen|made|found|nobody)(?:_|$)|(?:judged|placed|asked)(?:_of)?$)"
)
"""Words that name nothing: what was said, by whom, of what? Before a noun, as in `asked_at`, some name something."""
ROOMS_OF_PLAIN_WORDS: Final = (*ROOMS, "benchmarks", "tests")
VAGUE_COLUMNS: Final = frozenset({"at", "by", "how", "why", "what", "who", "rule", "fate", "story", "point", "lost"})
WORD_IN_NAME: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
SENTENCE_END: Final = re.compile(r"[.?!](?=\s|$)")

MODULE_LINES: Final = 300
TABLE_LINES: Final = 400
TABLES: Final = ("parsers/layouts/", "assets/catalog/")
FUNCTION_LINES: Final = 40
FUNCTION_LINES_P95: Final = 25
FUNCTION_LINES_P50: Final = 8
NESTING: Final = 2

BRANCHES: Final = (ast.For, ast.AsyncFor, ast.If, ast.Try, ast.While)
FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES: Final = (*FUNCTIONS, ast.ClassDef, ast.Lambda)

# Written so that these lines don't match themselves.
MACHINE_PATH: Final = re.compile(r"(?<![\w.~/-])/(?:home|Users|root|work)/\w")
REGISTRY: Final = re.compile(r"(?:https?:/)/|(?:--|_)(?:extra-)?index|--find-links", re.IGNORECASE)
RECORDED: Final = ("tests/bytes/", "tests/upstream/", "dagster_project/demo/")


@dataclass(frozen=True)
class Function:
    """One function of the house and where it is."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    module: str

    def __str__(self) -> str:
        """Name the place, as an editor opens it."""
        return f"{self.module}:{self.node.lineno} {self.node.name}"

    @property
    def lines(self) -> int:
        """Lines from `def` to the end, without the docstring."""
        first = self.node.body[0]
        docstring = ast.get_docstring(self.node, clean=False)
        return _span(self.node) - (_span(first) if docstring is not None else 0)

    @property
    def nesting(self) -> int:
        """How deep branches and loops stand in each other; those of inner functions are theirs."""
        return _nesting(self.node)


@dataclass(frozen=True)
class Module:
    """One Python file."""

    path: Path

    @property
    def name(self) -> str:
        """Its path in the repository."""
        return self.path.relative_to(REPO).as_posix()

    @cached_property
    def text(self) -> str:
        """Its source."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax."""
        return ast.parse(self.text)

    @property
    def functions(self) -> Iterator[Function]:
        """Every function in it, methods and inner functions too."""
        return (Function(node, self.name) for node in ast.walk(self.tree) if isinstance(node, FUNCTIONS))

    @property
    def imports(self) -> Iterator[str]:
        """The modules that it imports."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module or "."

    @property
    def code_lines(self) -> int:
        """Lines that are neither blank nor only a comment."""
        return sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in self.text.splitlines())


def _span(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _names(tree: ast.Module) -> Iterator[str]:
    """The names that a module gives: to classes, functions, arguments, variables and attributes."""
    for node in ast.walk(tree):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def _nesting(node: ast.AST) -> int:
    inner = (child for child in ast.iter_child_nodes(node) if not isinstance(child, SCOPES))
    return max((_nesting(child) + _deepens(node, child) for child in inner), default=0)


def _deepens(parent: ast.AST, child: ast.AST) -> bool:
    is_elif = isinstance(parent, ast.If) and isinstance(child, ast.If) and parent.orelse == [child]
    return isinstance(child, BRANCHES) and not is_elif


def _modules(folder: str) -> tuple[Module, ...]:
    return tuple(Module(path) for path in sorted((REPO / folder).rglob("*.py")))


CODE: Final = tuple(chain.from_iterable(_modules(room) for room in ROOMS))
TESTS: Final = _modules("tests")
CODE_FUNCTIONS: Final = tuple(chain.from_iterable(module.functions for module in CODE))


@pytest.fixture(scope="module")
def text_files() -> tuple[tuple[str, str], ...]:
    """Path and text of every file that git has or would take, but for bytes recorded elsewhere."""
    git = shutil.which("git")
    if git is None or not (REPO / ".git").exists():
        pytest.skip("this is no git clone, so what belongs to the repository is not known")
    command = [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=REPO, check=True, capture_output=True)
    names = (name for name in listed.stdout.decode().split("\0") if name and not name.startswith(RECORDED))
    contents = ((name, (REPO / name).read_bytes()) for name in names if (REPO / name).is_file())
    return tuple((name, content.decode()) for name, content in contents if b"\0" not in content)


def test_every_room_is_looked_at() -> None:
    """The other tests of this module see code in every room, so that none passes on nothing."""
    assert {module.name.split("/")[0] for module in CODE} == set(ROOMS)


def test_modules_say_what_belongs_in_them() -> None:
    """A module's docstring has at least two sentences: what belongs in it, and what does not."""
    docstrings = {module.name: ast.get_docstring(module.tree) or "" for module in CODE}
    assert [name for name, text in docstrings.items() if len(SENTENCE_END.findall(text)) < 2] == []


def test_test_modules_say_what_they_test() -> None:
    """A test module has a docstring."""
    assert [module.name for module in TESTS if not ast.get_docstring(module.tree)] == []


def test_no_module_has_a_name_that_fits_anything() -> None:
    """A module is named for the thing it holds."""
    assert [module.name for module in (*CODE, *TESTS) if VAGUE.fullmatch(module.path.stem)] == []


def test_names_are_no_participles() -> None:
    """A class, function, argument, variable or attribute has a noun or a verb for a name."""
    modules = chain.from_iterable(_modules(room) for room in ROOMS_OF_PLAIN_WORDS)
    names = [(module.name, name) for module in modules for name in _names(module.tree)]
    assert len(names) > 20_000
    assert [place for place in names if PARTICIPLES.match(WORD_IN_NAME.sub("_", place[1]).lower())] == []


def test_columns_are_nouns_that_need_no_quotes() -> None:
    """No column of a table is a reserved word of DuckDB, or one that does not say of what."""
    reserved = duckdb.execute(
        "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'"
    ).fetchall()
    words = VAGUE_COLUMNS | {word for (word,) in reserved}
    columns = [(name, column.name) for name, table in TABLES_OF_CATALOG.items() for column in table.columns]
    assert [place for place in columns if place[1] in words] == []


def test_listed_values_are_tokens() -> None:
    """A value of a column is one word, or several joined by underscores: sentences belong to commands."""
    token = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[a-z0-9]+)*")
    values = [
        (name, column.name, value)
        for name, table in TABLES_OF_CATALOG.items()
        for column in table.columns
        for value in column.values or ()
    ]
    assert len(values) > 100
    assert [place for place in values if not token.fullmatch(place[2])] == []


def test_modules_are_short() -> None:
    """A module can be read in one go; tables of formats and of columns may be longer."""
    allowed = {module: TABLE_LINES if module.name.startswith(TABLES) else MODULE_LINES for module in CODE}
    sizes = {module: len(module.text.splitlines()) for module in CODE}
    assert [f"{module.name} {sizes[module]}" for module in CODE if sizes[module] > allowed[module]] == []


def test_functions_are_short() -> None:
    """No function is longer than a screen."""
    assert [f"{function} {function.lines}" for function in CODE_FUNCTIONS if function.lines > FUNCTION_LINES] == []


def test_most_functions_do_one_thing() -> None:
    """Half of the functions have no more than eight lines, nearly all no more than twenty-five."""
    lines = sorted(function.lines for function in CODE_FUNCTIONS)
    assert lines[len(lines) // 2] <= FUNCTION_LINES_P50
    assert lines[len(lines) * 95 // 100] <= FUNCTION_LINES_P95


def test_functions_are_flat() -> None:
    """Branches and loops stand at most two deep; a compiled loop over records may need one level more."""
    allowed = {function: NESTING + ("parsers/" in str(function)) for function in CODE_FUNCTIONS}
    assert [
        f"{function} {function.nesting}" for function in CODE_FUNCTIONS if function.nesting > allowed[function]
    ] == []


def test_layouts_know_nothing_but_wire_types() -> None:
    """Of the house, a format table imports the vocabulary of `parsers.wire` and other tables, nothing else."""
    imports = ((module.name, name) for module in _modules("parsers/layouts") for name in module.imports)
    own = ((module, name) for module, name in imports if name.split(".")[0] in ROOMS)
    assert [(module, name) for module, name in own if not re.fullmatch(r"parsers\.(wire|layouts(\.\w+)*)", name)] == []


def test_no_file_names_a_place_of_one_machine(text_files: tuple[tuple[str, str], ...]) -> None:
    """A path in a file is relative to the repository or the user's own."""
    matches = ((name, MACHINE_PATH.search(text)) for name, text in text_files)
    assert [(name, match[0]) for name, match in matches if match] == []


@pytest.mark.parametrize("name", ["constraints.txt", "pyproject.toml", "Makefile", ".ci/run"])
def test_installing_names_no_package_index(name: str) -> None:
    """Where packages come from is the user's choice, so no address of an index stands where they are named."""
    lines = (REPO / name).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if REGISTRY.search(line) and "127.0.0.1" not in line] == []


def test_every_direct_dependency_is_pinned() -> None:
    """What pyproject.toml asks for has exact versions in constraints.txt, which `make lock` writes."""
    project = tomli.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))
    development = project["project"]["optional-dependencies"]["dev"]
    wanted = chain(project["project"]["dependencies"], development, project["dependency-groups"]["install"])
    pinned = re.findall(r"^([\w.-]+)==\S+", (REPO / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert {re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in wanted} - set(pinned) == set()
