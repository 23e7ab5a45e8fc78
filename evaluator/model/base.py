"""The base of every value that crosses a file, and the JSON it is made of."""

import hashlib
from typing import Annotated, Any, Final, Self, TypeAlias

import pydantic
import pydantic_core

FORMAT: Final = 1
"""Format number of every file of ours; a reader refuses any other."""


class Value(pydantic.BaseModel):
    """A strict, frozen value: unknown fields, wrong types, NaN and Infinity are refused."""

    model_config = pydantic.ConfigDict(
        strict=True, frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True, protected_namespaces=(),
        # Written as what it is and refused by the writer: null would be a number silently lost.
        ser_json_inf_nan="constants",
    )  # fmt: skip

    @classmethod
    def known(cls, **fields: Any) -> Self:
        """A value of parts that have been checked: all its fields. Nothing is looked at.

        Raises:
            TypeError: a field is missing, or there is no such field.
        """
        if fields.keys() != cls.__pydantic_fields__.keys():
            differing = fields.keys() ^ cls.__pydantic_fields__.keys()
            raise TypeError(f"{cls.__name__} lacks or has no {', '.join(sorted(differing))}")
        return cls.model_construct(**fields)

    def but(self, **changes: Any) -> Self:
        """A copy with other values of some fields, which are taken as they are.

        Raises:
            TypeError: there is no such field: pydantic's own copy would keep the old value and say nothing.
        """
        unknown = changes.keys() - self.__pydantic_fields__.keys()
        if unknown:
            raise TypeError(f"{type(self).__name__} has no {', '.join(unknown)}")
        return self.model_copy(update=changes)


Strings: TypeAlias = Annotated[tuple[str, ...], pydantic.Field(strict=False)]
"""A JSON list of strings, kept as a tuple."""

Id: TypeAlias = Annotated[str, pydantic.StringConstraints(min_length=1)]
"""An identifier as a person wrote it: any characters, kept exactly, never empty."""


def to_json(value: Any, exclude: set[str] | None = None) -> bytes:
    """One compact UTF-8 line of JSON, without the line end; keys stay in the order they have.

    ``exclude`` names fields of a model that are left out.
    """
    return pydantic_core.to_json(value, exclude=exclude, inf_nan_mode="constants")


def canonical(value: Any) -> bytes:
    """The bytes a digest is made of: sorted keys, no spaces, UTF-8."""
    return to_json(_sorted(value))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [_sorted(item) for item in value]
    return value


def digest(value: Any) -> str:
    """SHA-256 (hexadecimal) of a value's canonical JSON."""
    return hashlib.sha256(canonical(value)).hexdigest()
