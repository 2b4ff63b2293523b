"""Why: the commands that show what rules are: `tollens rules docs`, `graph` and `schema`."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from tollens.engine.errors import EXIT_DONE
from tollens.engine.interfaces.packs_of import add_packs, chosen_or_own


def add_graph(parser: ArgumentParser) -> None:
    """The arguments of `tollens rules graph`."""
    add_packs(parser)
    parser.add_argument("--format", choices=("mermaid", "json"), default="mermaid")


def run_graph(options: Namespace) -> int:
    """Draw the given packs' rules, or the built-in ones."""
    from tollens.engine.bench.graph import graph, mermaid
    from tollens.engine.diagnosis.packs import rulebook

    packs = chosen_or_own(options)
    book = rulebook(packs)
    data = graph(book, frozenset([pack.name for pack in book.packs[-len(packs) :]]) if packs else None)
    lines = mermaid(data) if options.format == "mermaid" else [json.dumps(data, ensure_ascii=True, indent=1)]
    for line in lines:
        sys.stdout.write(line + "\n")
    return EXIT_DONE


def add_schema(parser: ArgumentParser) -> None:
    """The arguments of `tollens rules schema`."""
    add_packs(parser)
    parser.add_argument("--for", dest="what", choices=("rules", "pack", "cases"), default="rules", help="what the schema is about")
    parser.add_argument("--open", action="store_true", help="let every kind and stage through, whatever the packs declare")


def run_schema(options: Namespace) -> int:
    """Print the schema that knows the kinds of the built-in packs and the given ones."""
    from tollens.engine.bench.schema import schema
    from tollens.engine.diagnosis.packs import rulebook

    book = None if options.open else rulebook(chosen_or_own(options))
    sys.stdout.write(json.dumps(schema(options.what, book), ensure_ascii=True, indent=1) + "\n")
    return EXIT_DONE


def add_docs(parser: ArgumentParser) -> None:
    """The arguments of `tollens rules docs`."""
    add_packs(parser)
    parser.add_argument("--out", metavar="DIR", default="docs/rules", help="where the pages go (default: docs/rules)")
    parser.add_argument("--check", action="store_true", help="write nothing; name the pages that are not as they would be, and end with 2")


def run_docs(options: Namespace) -> int:
    """Write the pages of the given packs' rules, or of the built-in ones."""
    from tollens.engine.bench.cards import pages, stale, write

    made = pages(chosen_or_own(options))
    folder = Path(options.out)
    if options.check:
        from tollens.engine.errors import EXIT_FAULT

        old = stale(folder, made)
        for name in old:
            sys.stdout.write(f"stale: {folder / name}\n")
        sys.stdout.write(f"{len(old)} of {len(made)} pages are not as they would be written\n")
        return EXIT_FAULT if old else EXIT_DONE
    write(folder, made)
    sys.stdout.write(f"wrote {len(made)} pages to {folder}\n")
    return EXIT_DONE
