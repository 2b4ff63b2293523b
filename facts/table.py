"""Why: the kinds of all models in one generated file, so that a command starts without building a single model."""

from __future__ import annotations

import json
from pathlib import Path

from tollens.facts.kind import Kind, KindTable

#: Written by `python -m tollens.facts.table`; a test fails when the models have moved on.
TABLE_FILE = Path(__file__).with_name("kinds.json")


def base_kinds() -> KindTable:
    """The kinds that parsers, callers and rules share, read from the generated table."""
    return KindTable([Kind.from_json(row) for row in json.loads(TABLE_FILE.read_text(encoding="utf-8"))])


def generated() -> str:
    """The table's text as the models declare it now."""
    from tollens.facts import diagnosis, signal, work  # noqa: F401 - importing a family registers its models
    from tollens.facts.base import REGISTRY

    rows = [json.dumps(model.kind().to_json(), ensure_ascii=True) for model in REGISTRY.values()]
    return "[\n" + ",\n".join(rows) + "\n]\n"


if __name__ == "__main__":
    TABLE_FILE.write_text(generated(), encoding="utf-8")
