"""Why: no package enters the project unexplained, unlocked or too young; the page and the lock must say the same."""

from __future__ import annotations

import datetime
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tollens.engine.interfaces.doctor import ENGINE_RELEASE

LOCKED = re.compile(r"^(?P<name>[a-z0-9.-]+)==(?P<version>\S+)  # (?P<date>\d{4}-\d\d-\d\d)$")
MADE = re.compile(r"^# Made by `make lock` on (\d{4}-\d\d-\d\d)")
ROW = re.compile(r"^\| (?P<name>[A-Za-z0-9._-]+) \| (?P<version>[0-9]\S*) \| (?P<date>\d{4}-\d\d-\d\d) \|(?P<rest>.*)\|$")


class Release(NamedTuple):
    """One package at one version and the day it was released."""

    version: str
    date: str


@pytest.fixture(scope="module")
def locked(root: Path) -> dict[str, Release]:
    """What constraints.txt holds."""
    lines = (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
    found = [LOCKED.match(line) for line in lines if not line.startswith("#")]
    assert all(found), "every line is `name==version  # date`"
    return {match["name"]: Release(match["version"], match["date"]) for match in found if match}


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    """The page that explains the packages."""
    return (root / "docs/dependencies.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def direct(root: Path) -> list[Requirement]:
    """Every requirement of pyproject.toml, and what `make bench` adds."""
    with (root / "pyproject.toml").open("rb") as file:
        data = tomllib.load(file)
    project = data["project"]
    extras = [line for group in project["optional-dependencies"].values() for line in group]
    return [Requirement(line) for line in [*project["dependencies"], *extras, *data["build-system"]["requires"], "experta"]]


def test_page_and_lock_name_the_same_releases(page: str, locked: dict[str, Release]) -> None:
    rows = [match for match in map(ROW.match, page.splitlines()) if match]
    shown = {canonicalize_name(row["name"]): Release(row["version"], row["date"]) for row in rows}
    assert len(shown) == len(rows), "a package has two rows"
    assert shown == locked


def test_every_cell_of_the_page_is_filled(page: str) -> None:
    for row in filter(None, map(ROW.match, page.splitlines())):
        assert all(cell.strip() for cell in row["rest"].split("|")), row["name"]


def test_every_requirement_is_locked_at_a_version_it_allows(direct: list[Requirement], locked: dict[str, Release]) -> None:
    for requirement in direct:
        name = canonicalize_name(requirement.name)
        assert name in locked, f"{name}: run `make lock`"
        assert requirement.specifier.contains(locked[name].version), f"{name}: run `make lock`"


def test_every_direct_requirement_has_its_section(direct: list[Requirement], page: str) -> None:
    sections = {canonicalize_name(name) for name in re.findall(r"^### (\S+)$", page, re.MULTILINE)}
    assert sections == {canonicalize_name(requirement.name) for requirement in direct}


def test_nothing_was_younger_than_72_hours_when_it_was_locked(root: Path, locked: dict[str, Release]) -> None:
    made = next(match[1] for match in map(MADE.match, (root / "constraints.txt").read_text(encoding="utf-8").splitlines()) if match)
    limit = datetime.date.fromisoformat(made) - datetime.timedelta(days=3)
    assert [name for name, release in locked.items() if datetime.date.fromisoformat(release.date) > limit] == []


def test_doctor_names_the_locked_engine(locked: dict[str, Release]) -> None:
    assert f"durable-rules=={locked['durable-rules'].version}" == ENGINE_RELEASE
