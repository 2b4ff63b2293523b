"""Why: `make lock` resolves every dependency to one version, none younger than 72 hours, and records when each was released.

It runs with pip 26.1 or later: its cooldown option refuses young releases, and its finder knows the upload times that the
index serves. Both go through pip's own configuration, whatever index that names.
"""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
COOLDOWN_DAYS = 3
#: Installed without its dependencies (see the bench extra in pyproject.toml), so it cannot be resolved with the others.
ALONE = ("experta==1.9.4",)


def requirements() -> list[str]:
    """Everything that pyproject.toml asks for: run time, extras and build."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        data = tomllib.load(file)
    project = data["project"]
    extras = [line for group in project["optional-dependencies"].values() for line in group]
    return [*project["dependencies"], *extras, *data["build-system"]["requires"]]


def resolve(arguments: list[str]) -> dict[str, str]:
    """Name to version of what pip would install for these arguments into an empty environment."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    command += ["--uploaded-prior-to", f"P{COOLDOWN_DAYS}D", *arguments]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {item["metadata"]["name"]: item["metadata"]["version"] for item in json.loads(output)["install"]}


def release_dates(versions: dict[str, str]) -> dict[str, str]:
    """Name to the day on which the version was first uploaded, as the index that pip is set up for says."""
    from pip._internal.commands import create_command
    from pip._internal.models.target_python import TargetPython

    command: Any = create_command("index")
    options, _ = command.parse_args(["versions", "any"])
    dates: dict[str, str] = {}
    with command.main_context():
        session = command.get_default_session(options)
        finder = command._build_package_finder(options, session, TargetPython(), ignore_requires_python=True)  # noqa: SLF001 - no public way
        for name, version in versions.items():
            found = [c.link.upload_time for c in finder.find_all_candidates(name) if str(c.version) == version]
            times: list[datetime.datetime] = [time for time in found if time is not None]
            if not times:
                sys.exit(f"the index gives no upload time for {name} {version}; look it up and decide by hand")
            dates[name] = min(times).date().isoformat()
    return dates


def main() -> None:
    """Write constraints.txt."""
    versions = resolve(requirements())
    for line in ALONE:
        versions |= resolve(["--no-deps", line])
    dates = release_dates(versions)
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    lines = [
        "# The lock: every package that the project uses, by exact version, for Python 3.11 to 3.13, with its release date.",
        f"# Made by `make lock` on {today}; nothing was younger than {COOLDOWN_DAYS} days. Why each is here: docs/dependencies.md",
    ]
    lines += sorted(f"{name.lower().replace('_', '-')}=={versions[name]}  # {dates[name]}" for name in versions)
    (ROOT / "constraints.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"constraints.txt: {len(versions)} packages; now bring docs/dependencies.md up to date (tests compare them)")


if __name__ == "__main__":
    main()
