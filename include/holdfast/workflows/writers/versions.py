"""Which versions of Holdfast have written into a lake: `versions/<version>.json`, a file each.

A field that a version does not know is refused. So an older version meets documents that it cannot read, and this is how it can
say whose they are.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import holdfast
from holdfast.errors import HoldfastError, InvalidInput, Unsupported
from holdfast.ports import Lake
from holdfast.rollout.json.strict import FORMAT_VERSION, dumps

FOLDER = "versions"
_NAME = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6}){0,3})([a-z0-9.+-]{0,40})\.json", re.ASCII)


def own() -> str:
    """This version."""
    return holdfast.__version__


def note(lake: Lake) -> bool:
    """Write that this version writes there. Return whether that is new."""
    place = (FOLDER, f"{own()}.json")
    if lake.exists(place):
        return False
    lake.write(place, dumps({"format_version": FORMAT_VERSION, "version": own()}).encode())
    return True


def of(lake: Lake) -> tuple[str, ...]:
    """The versions that have written there, the newest last."""
    found = [name.removesuffix(".json") for name in lake.names((FOLDER,)) if _NAME.fullmatch(name)]
    return tuple(sorted(found, key=_order))


def newer(lake: Lake) -> tuple[str, ...]:
    """Those that are newer than this one."""
    return tuple(one for one in of(lake) if _order(one) > _order(own()))


def _order(version: str) -> tuple[tuple[int, ...], bool, str]:
    """A release comes after what is before it: 1.2.0rc1, then 1.2.0."""
    found = _NAME.fullmatch(f"{version}.json")
    if found is None:
        return (), False, version
    return tuple(map(int, found[1].split("."))), not found[2], found[2]


@contextmanager
def explained(lake: Lake) -> Iterator[None]:
    """A document of the lake that cannot be read may be a newer version's: then say so, with what is needed."""
    try:
        yield
    except (InvalidInput, Unsupported) as problem:
        said = ""
        with suppress(HoldfastError):
            said = says(newer(lake))
        if not said:
            raise
        kind = InvalidInput if isinstance(problem, InvalidInput) else Unsupported
        raise kind(f"{problem}. {said}") from None


def says(found: tuple[str, ...]) -> str:
    """`found`: the newer versions that have written into a lake. Empty: none."""
    if not found:
        return ""
    return (
        f"Holdfast {', '.join(found)} has written into this lake, and this is {own()}: install {found[-1]} again to read what it"
        " wrote, or create the document anew"
    )
