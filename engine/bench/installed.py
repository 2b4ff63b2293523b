"""Why: packs can be shipped as Python packages; none takes part in a decision unless somebody names it.

A package offers a pack by an entry point of the group `tollens.packs`: `NAME = "module"`, where the folder of the module (or, with
`"module:folder"`, a folder in it) holds the pack.yaml. Nothing of the module is run.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from tollens.engine.errors import InputError

GROUP = "tollens.packs"


def find_pack(name: str) -> Path:
    """The folder of the installed pack of that name; InputError where there is none."""
    from importlib.metadata import entry_points

    found = [point for point in entry_points(group=GROUP) if point.name == name]
    if not found:
        raise InputError(
            f"no installed package offers a pack named {name!r:.60}",
            expected=f"an entry point of the group {GROUP}",
            choices=sorted({point.name for point in entry_points(group=GROUP)}),
            found=name,
            next_step="install the package that brings the pack, or give the pack's folder with --rules",
        )
    places = sorted({(point.module, point.attr) for point in found})
    if len(places) > 1:
        shown = ", ".join(module for module, _ in places)
        raise InputError(f"several installed packages offer a pack named {name!r:.60}: {shown}", next_step="uninstall one of them")
    module, folder = places[0]
    return _folder(name, module, folder)


def _folder(name: str, module: str, folder: str) -> Path:
    try:
        spec = importlib.util.find_spec(module)
    except ImportError:
        spec = None
    locations = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not locations:
        raise InputError(
            f"the installed pack {name!r:.60} names the package {module}, which is not there", next_step="install the package again"
        )
    return Path(locations[0], *folder.split(".")) if folder else Path(locations[0])
