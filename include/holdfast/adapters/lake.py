"""The lake on any place that fsspec reaches: a local folder by default, an object store, a share.

A file is written whole or not at all: on a local disk beside its place, synced, renamed, and the folder synced; on object stores by
their own atomic put; elsewhere beside its place and moved. No path leads out of the lake: every segment is checked, and no symbolic
link below the lake's own folder is followed.
"""

import errno
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import fsspec
from fsspec.implementations.local import LocalFileSystem

from holdfast.errors import InvalidInput, NotAllowed, StatePathTrouble
from holdfast.ports import LakePath

ATOMIC_PUT = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "memory", "oci", "oss")
"""Protocols whose put shows a file whole or not at all."""
MOST_NAMES = 100_000
_SEGMENT = re.compile(r"[A-Za-z0-9=%_@+-][A-Za-z0-9=%._@+-]{0,239}", re.ASCII)
_TROUBLES = (OSError, ValueError, ImportError)
"""What fsspec's file systems raise: ImportError where the library for a protocol is not installed."""


class FsspecLake:
    """`url`: a folder, or any URL that fsspec understands. It is created when something is first written."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if "://" in url and (parts.username or parts.password):
            raise InvalidInput(
                "a lake URL with a user or password in it is refused: give credentials where fsspec's library reads them"
            )
        try:
            self._files, root = fsspec.core.url_to_fs(url)
        except _TROUBLES as error:
            raise StatePathTrouble(f"The lake {url!r} cannot be opened: {error}. A folder or an fsspec URL is needed.") from None
        self._root = str(root).rstrip("/") or "/"
        self._url = url
        self._local = isinstance(self._files, LocalFileSystem)

    @property
    def url(self) -> str:
        return self._url

    def write(self, path: LakePath, content: bytes) -> None:
        place = self._place(path)
        try:
            if self._local:
                _write_local(Path(place), content)
            else:
                self._write_remote(place, content)
        except _TROUBLES as error:
            raise _trouble(f"{'/'.join(path)} cannot be written to the lake {self._url}", error) from None

    def read(self, path: LakePath, limit: int) -> bytes:
        place = self._place(path)
        try:
            with self._files.open(place, "rb") as file:
                content: bytes = file.read(limit + 1)
        except FileNotFoundError:
            raise StatePathTrouble(f"The lake {self._url} holds no {'/'.join(path)}.") from None
        except _TROUBLES as error:
            raise _trouble(f"{'/'.join(path)} in the lake {self._url} cannot be read", error) from None
        if len(content) > limit:
            raise StatePathTrouble(f"{'/'.join(path)} in the lake {self._url} is larger than the {limit:,} bytes allowed.")
        return content

    def exists(self, path: LakePath) -> bool:
        place = self._place(path)
        try:
            return bool(self._files.isfile(place))
        except _TROUBLES as error:
            raise _trouble(f"{'/'.join(path)} in the lake {self._url} cannot be looked up", error) from None

    def remove(self, path: LakePath) -> None:
        place = self._place(path)
        try:
            self._files.invalidate_cache()
            self._files.rm(place, recursive=True)
        except FileNotFoundError:
            return
        except _TROUBLES as error:
            raise _trouble(f"{'/'.join(path)} in the lake {self._url} cannot be deleted", error) from None

    def names(self, folder: LakePath) -> tuple[str, ...]:
        place = self._place(folder)
        try:
            self._files.invalidate_cache()
            found = self._files.ls(place, detail=False)
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except _TROUBLES as error:
            raise _trouble(f"{'/'.join(folder)} in the lake {self._url} cannot be listed", error) from None
        if len(found) > MOST_NAMES:
            raise StatePathTrouble(
                f"{'/'.join(folder)} in the lake {self._url} holds more than {MOST_NAMES:,} entries: tidy it up."
            )
        names = (str(entry).rstrip("/").rsplit("/", 1)[-1] for entry in found)
        return tuple(sorted(name for name in names if _SEGMENT.fullmatch(name)))

    def _place(self, path: LakePath) -> str:
        if not path:
            raise AssertionError("a lake path has at least one segment")
        for segment in path:
            if not _SEGMENT.fullmatch(segment):
                raise InvalidInput(f"{segment!r} cannot be part of a path in the lake; letters, digits and =%._@+- can")
        place = self._root.rstrip("/")
        for segment in path:
            place = f"{place}/{segment}"
            if self._local and os.path.islink(place):  # noqa: PTH114 - a page asks this thousands of times
                raise InvalidInput(f"{place} is a symbolic link, and none is followed in a lake: put there what it points to")
        return place

    def _write_remote(self, place: str, content: bytes) -> None:
        protocols = (self._files.protocol,) if isinstance(self._files.protocol, str) else tuple(self._files.protocol)
        folder, name = place.rsplit("/", 1)
        self._files.makedirs(folder, exist_ok=True)
        if any(protocol in ATOMIC_PUT for protocol in protocols):
            self._files.pipe_file(place, content)
            return
        beside = f"{folder}/.{name}.{secrets.token_hex(4)}.tmp"
        try:
            self._files.pipe_file(beside, content)
            self._files.mv(beside, place)
        except _TROUBLES:
            with suppress(*_TROUBLES):
                self._files.rm(beside)
            raise


def _trouble(what: str, error: Exception) -> StatePathTrouble:
    """What the file system refused for want of a right is refused again."""
    if isinstance(error, OSError) and (isinstance(error, PermissionError) or error.errno == errno.EROFS):
        return NotAllowed(f"{what}: {error}. Whoever runs this needs the right to read and write the whole lake.")
    return StatePathTrouble(f"{what}: {error}")


def _write_local(place: Path, content: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")
    try:
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(place)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    folder = os.open(place.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
