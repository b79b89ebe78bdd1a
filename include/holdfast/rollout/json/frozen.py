"""Frozen values made quickly: the constructor of a frozen dataclass sets each field through `object.__setattr__`, which takes three
times as long as an assignment. Reading documents makes them by the hundred thousand.

So an object of a class with the same slots, which is not frozen, is filled and then becomes one of the frozen class.
"""

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any


def maker(build: Callable[..., Any]) -> Callable[..., Any]:
    """What makes the same values as the constructor `build`, of arguments by position; `build` itself if it is no plain class."""
    if not is_plain(build):
        return build
    own = tuple(one.name for one in fields(build))  # type: ignore[arg-type]  # it is a dataclass
    names, defaults = names_of(build), defaults_of(build)
    names |= {f"default_{name}": default for name, default in defaults.items()}
    given = ", ".join(f"{name}=default_{name}" if name in defaults else name for name in own)
    lines = ["made = new(filled)", *(f"made.{name} = {name}" for name in own), "made.__class__ = frozen", "return made"]
    text = "\n    ".join((f"def make({given}):", *lines))
    exec(text, names)  # noqa: S102 - made of the names of our own fields
    made: Callable[..., Any] = names["make"]
    return made


def is_plain(build: Callable[..., Any]) -> bool:
    """Whether it is a dataclass whose constructor does nothing but set the slots, which are the fields."""
    if not (isinstance(build, type) and is_dataclass(build)):
        return False
    own = tuple(one.name for one in fields(build))
    plain = all(one.init and not one.kw_only and one.default_factory is MISSING for one in fields(build))
    return plain and build.__bases__ == (object,) and vars(build).get("__slots__") == own and not hasattr(build, "__post_init__")


def names_of(build: Any) -> dict[str, Any]:
    """What code that makes a plain class needs: `new(filled)` is filled, and `frozen` is what it becomes."""
    own = tuple(one.name for one in fields(build))
    return {"frozen": build, "filled": type(build.__name__, (), {"__slots__": own}), "new": object.__new__}


def defaults_of(build: Any) -> dict[str, Any]:
    return {one.name: one.default for one in fields(build) if one.default is not MISSING}
