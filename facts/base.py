"""Why: one base for the pydantic models that declare a kind, so that a new family is one small module."""

from __future__ import annotations

import types
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict
from pydantic.fields import FieldInfo

from tollens.facts.kind import Field, Kind


class RefTo(tuple[str, ...]):
    """Marks a text field as the id of another fact, of one of these kinds (none named: of any)."""

    __slots__ = ()


class Scaled:
    """Marks a float field as a number kept in millionths."""


class Ordered:
    """Marks an enumeration whose members stand in rising order, so that rules may compare them."""


Number = Annotated[float, Scaled()]

REGISTRY: dict[str, type[Body]] = {}


class Record(BaseModel):
    """A frozen, exact model: what the seeds' schemas name, no field more or less."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


class Body(Record):
    """The typed body of a fact. A subclass names its kind and, where not all fields are the identity, its key (empty: at most one fact)."""

    KIND: ClassVar[str] = ""
    KEY: ClassVar[tuple[str, ...] | None] = None
    RIVAL: ClassVar[bool] = False
    VERDICT: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:  # noqa: ANN401 - what pydantic takes
        super().__init_subclass__(**options)
        if cls.KIND:
            if cls.KIND in REGISTRY:
                raise TypeError(f"the kind {cls.KIND} is declared by {REGISTRY[cls.KIND].__name__} and {cls.__name__}")
            REGISTRY[cls.KIND] = cls

    @classmethod
    def kind(cls) -> Kind:
        """The kind that this model declares, for the rule checker and the sessions."""
        fields = [_field(name, info) for name, info in cls.model_fields.items()]
        doc = " ".join((cls.__doc__ or "").split())
        return Kind(cls.KIND, fields, key=cls.KEY, rival=cls.RIVAL, verdict=cls.VERDICT, doc=doc, origin="facts")


def _field(name: str, info: FieldInfo) -> Field:
    annotation, marks, optional = info.annotation, list(info.metadata), False
    if get_origin(annotation) in (Union, types.UnionType):
        inner = [part for part in get_args(annotation) if part is not type(None)]
        optional = len(inner) < len(get_args(annotation))
        annotation = inner[0]
    if get_origin(annotation) is Annotated:
        annotation, *more = get_args(annotation)
        marks += more
    doc = info.description or ""
    ref = next((mark for mark in marks if isinstance(mark, RefTo)), None)
    if ref is not None:
        return Field(name, "ref", optional, tuple(ref), False, doc)
    if any(isinstance(mark, Scaled) for mark in marks):
        return Field(name, "number", optional, (), False, doc)
    if get_origin(annotation) is Literal:
        return Field(name, "enum", optional, get_args(annotation), any(isinstance(mark, Ordered) for mark in marks), doc)
    if get_origin(annotation) is tuple:
        return Field(name, "list", optional, (), False, doc)
    plain: dict[object, str] = {str: "text", bool: "bool", int: "int"}
    return Field(name, plain[annotation], optional, (), False, doc)
