"""Why: the schemas are made of a few shapes, each written once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
BOOL: Json = {"type": "boolean"}
COUNT: Json = {"type": "integer", "minimum": 1}
ANY: Json = {"type": ["string", "number", "boolean"]}
NAME: Json = {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_]*$"}
ID: Json = {"type": "string", "pattern": r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$"}


def obj(properties: Mapping[str, Json], required: Sequence[str] = (), *, size: int = 0) -> Json:
    """A mapping with these keys only; with `size` it holds just so many of them."""
    made: Json = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    if required:
        made["required"] = list(required)
    if size:
        made |= {"minProperties": size, "maxProperties": size}
    return made


def items(item: Json, *, least: int = 0, size: int = 0) -> Json:
    """A list of one shape."""
    made: Json = {"type": "array", "items": item}
    if least or size:
        made["minItems"] = least or size
    if size:
        made["maxItems"] = size
    return made


def either(*shapes: Json) -> Json:
    """One of several shapes."""
    return {"anyOf": list(shapes)}


def body(value: Json) -> Json:
    """A mapping of one key, whatever its name."""
    return {"type": "object", "additionalProperties": value, "minProperties": 1, "maxProperties": 1}


def ref(name: str) -> Json:
    """A shape that is defined beside."""
    return {"$ref": f"#/$defs/{name}"}
