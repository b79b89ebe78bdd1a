"""Frozen values made quickly: the constructor of a frozen dataclass sets each field through `object.__setattr__`, which takes three
times as long as an assignment. Reading documents makes them by the hundred thousand."""

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any


def maker(build: Callable[..., Any]) -> Callable[..., Any]:
    """What makes the same values as the constructor `build`, of arguments by position; `build` itself where it is no plain class.

    An object of a class with the same slots, which is not frozen, is filled and then becomes one of the frozen class.
    """
    if not (isinstance(build, type) and is_dataclass(build)) or not _plain(build):
        return build
    own = tuple(one.name for one in fields(build))
    names: dict[str, Any] = {"frozen": build, "filled": type(build.__name__, (), {"__slots__": own}), "new": object.__new__}
    names |= {f"default_{one.name}": one.default for one in fields(build)}
    given = ", ".join(name if names[f"default_{name}"] is MISSING else f"{name}=default_{name}" for name in own)
    lines = ["made = new(filled)", *(f"made.{name} = {name}" for name in own), "made.__class__ = frozen", "return made"]
    text = "\n    ".join((f"def make({given}):", *lines))
    exec(text, names)  # noqa: S102 - made of the names of our own fields
    made: Callable[..., Any] = names["make"]
    return made


def _plain(cls: type) -> bool:
    """Whether the constructor does nothing but set the slots, which are the fields."""
    own = tuple(one.name for one in fields(cls))
    plain = all(one.init and not one.kw_only and one.default_factory is MISSING for one in fields(cls))
    return plain and cls.__bases__ == (object,) and vars(cls).get("__slots__") == own and not hasattr(cls, "__post_init__")
