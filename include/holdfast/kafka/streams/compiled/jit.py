"""Numba's compiler, where it is installed; and where it keeps what it has compiled.

Compiling takes up to a minute, so the machine code is kept on disk. Numba looks only at the file of the function that is called
from Python, not at those that it calls: so the folder is named by the digest of all of them. And it keeps machine code by the path
of that file, which on Spark's executors is another one in each run: so a copy of the file is kept in the folder too.
"""

import functools
import hashlib
import importlib.util
import os
import stat
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar, cast

_F = TypeVar("_F", bound=Callable[..., Any])

SOURCES = tuple(
    f"holdfast.kafka.streams.compiled.{name}"
    for name in ("jit", "indices", "arrays", "hash_sets", "queue", "lags", "movement", "threads", "wire")
)
"""The modules here that machine code depends on."""
ASKED_FOR = os.environ.get("HOLDFAST_COMPILED", "1")
"""`0`: run as ordinary functions. For tests, which measure what they reach."""


@functools.cache
def is_installed() -> bool:
    """Whether there is a compiler, and it is asked for."""
    return ASKED_FOR != "0" and importlib.util.find_spec("numba") is not None


def is_kept(function: str, more_sources: tuple[str, ...]) -> bool:
    """Whether the machine code of this function (`<module>.<name>`) is on the disk."""
    found = (name for _, _, names in os.walk(folder(more_sources)) for name in names)
    return any(name.startswith(function) and name.endswith(".nbi") for name in found)


@functools.cache
def folder(more_sources: tuple[str, ...] = ()) -> str:
    """Where the machine code of exactly these sources is kept: below `NUMBA_CACHE_DIR`, else in the user's cache, else (on Spark's
    executors, whose user often has no home) in a folder for temporary files that only this user can write to."""
    digest = hashlib.sha256()
    for name in (*SOURCES, *more_sources):
        digest.update(_source(name).encode())
    kept = os.environ.get("NUMBA_CACHE_DIR") or f"{os.path.expanduser('~')}/.cache/holdfast/numba"  # noqa: PTH111 - no paths here
    if not _can_be_made(kept):
        kept = _of_this_user_alone() or kept
    return f"{kept}/{digest.hexdigest()[:20]}"


def _can_be_made(place: str) -> bool:
    try:
        os.makedirs(place, mode=0o700, exist_ok=True)  # noqa: PTH103
    except OSError:
        return False
    return os.access(place, os.W_OK | os.X_OK)


def _of_this_user_alone() -> str | None:
    """Numba runs what it finds: so nothing is taken from a folder that another user has made, or can write to, or a link."""
    place = f"{os.environ.get('TMPDIR') or '/tmp'}/holdfast-{os.getuid()}"  # noqa: S108 - nothing is trusted there, see below
    if not _can_be_made(place):
        return None
    found = os.lstat(place)
    mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022
    return f"{place}/numba" if mine else None


def _source(module: str) -> str:
    spec = importlib.util.find_spec(module)
    assert spec is not None, "a module of this package"
    return str(cast("Any", spec.loader).get_source(module))  # in a zip too


def _copy_of(module: str, place: str) -> str:
    """The path of a copy of the module's source. Raise OSError where none can be written."""
    path = f"{place}/{module}.py"
    if not os.path.exists(path):  # noqa: PTH110
        os.makedirs(place, mode=0o700, exist_ok=True)  # noqa: PTH103
        beside = f"{path}.{os.getpid()}"
        with open(beside, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(_source(module))
        os.replace(beside, path)  # noqa: PTH105
    return path


def compiler(more_sources: tuple[str, ...] = (), *, inline: bool = False) -> Callable[[_F], _F]:
    """What compiles a function at its first call. `more_sources`: modules, besides those here, with functions that it calls.

    Without reference counts (`_nrt`), because no function here makes an array: they took four fifths of the time. `inline`: it
    becomes a part of those that call it.
    """
    if not is_installed():
        return lambda function: function

    def compiled(function: _F) -> _F:
        numba = cast("Any", import_module("numba"))  # here: who only asks whether something is kept does not load it
        options = {"_nrt": False, "forceinline": inline, "pipeline_class": import_module(f"{__package__}.indices").Compiler}
        place = folder(more_sources)
        numba.config.CACHE_DIR = place
        try:
            code = cast("Any", function).__code__
            cast("Any", function).__code__ = code.replace(co_filename=_copy_of(function.__module__, place))
            return cast("_F", numba.njit(function, cache=True, **options))
        except (OSError, RuntimeError):  # nowhere to keep it: it is compiled in each process
            return cast("_F", numba.njit(function, **options))

    return compiled


compiled = compiler()
"""For functions that call those here only."""
inlined = compiler(inline=True)
"""For small ones that are called many times: a call hands over each array of each argument, which takes longer than they do."""
