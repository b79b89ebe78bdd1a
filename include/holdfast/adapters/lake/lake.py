"""The lake on any place that fsspec reaches: a local folder by default, an object store, a share.

A file is written whole or not at all: on a local disk under a temporary name, synced, renamed, and the folder synced; on object
stores by their own atomic put; elsewhere under a temporary name and moved. Temporary names are in the first folder of the path
(`plans/`), where the next writer finds what a dead one left. No path leads out of the lake: every segment is checked, and no
symbolic link below the lake's own folder is followed.

A file is created only where there is none: on a local disk by a hard link, on object stores by their conditional put. Other
protocols offer nothing that two writers could rely on, and are refused by name.
"""

import errno
import os
import re
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import fsspec
from fsspec.implementations.local import LocalFileSystem

from holdfast import secrecy
from holdfast.adapters import temporary, whole_files
from holdfast.adapters.state_dirs import state_trees
from holdfast.adapters.urls import parts_of
from holdfast.errors import InvalidInput, NotAllowed, StatePathTrouble, Unsupported
from holdfast.ports import LakePath

ATOMIC_PUT = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "memory", "oci", "oss")
"""Protocols whose put shows a file whole or not at all."""
CONDITIONAL_PUT = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "memory")
"""Protocols whose put can refuse to overwrite (fsspec: `mode="create"`), and that then are atomic."""
MOST_NAMES = 100_000
_SEGMENT = re.compile(r"[A-Za-z0-9=%_@+-][A-Za-z0-9=%._@+-]{0,239}", re.ASCII)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_TROUBLES = (OSError, ValueError, ImportError)
"""What fsspec's file systems raise: ImportError where the library for a protocol is not installed."""


class FsspecLake:
    """`url`: a folder, or any URL that fsspec understands. It is created when something is first written."""

    def __init__(self, url: str) -> None:
        if ("://" in url and _names_a_user(url)) or secrecy.holds_secret(url):
            raise InvalidInput(
                "a lake URL with a user, a password or a token in it is refused: give credentials where fsspec's library reads them"
            )
        try:
            self._files, root = fsspec.core.url_to_fs(url)
        except _TROUBLES as error:
            missing = state_trees.extra_for(url) if isinstance(error, ImportError) else ""
            raise StatePathTrouble(
                f"The lake {url!r} cannot be opened: {error}. {missing or 'A folder or an fsspec URL is needed.'}"
            ) from None
        self._root = str(root).rstrip("/") or "/"
        self._url = url
        self._local = isinstance(self._files, LocalFileSystem)
        self._protocols = (self._files.protocol,) if isinstance(self._files.protocol, str) else tuple(self._files.protocol)
        self._swept: set[str] = set()
        self._keeps_conditions = False

    @property
    def url(self) -> str:
        return self._url

    def write(self, path: LakePath, content: bytes) -> None:
        place = self._place(path)
        try:
            scratch = self._scratch(path, place)
            if self._local:
                whole_files.replace(Path(place), content, Path(scratch))
            else:
                self._write_remote(place, content, scratch)
        except _TROUBLES as error:
            raise _trouble(f"{'/'.join(path)} cannot be written to the lake {self._url}", error) from None

    def create(self, path: LakePath, content: bytes) -> bool:
        place = self._place(path)
        what = f"{'/'.join(path)} cannot be created in the lake {self._url}"
        try:
            scratch = self._scratch(path, place)
            if self._local:
                return whole_files.create(Path(place), content, Path(scratch))
            return self._create_remote(place, content)
        except Unsupported as refusal:
            raise Unsupported(f"{what}: {refusal}.") from None
        except _TROUBLES as error:
            raise _trouble(what, error) from None

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
            if not self._local:
                self._files.invalidate_cache()  # another process may have written it since the folder was listed
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
            raise StatePathTrouble(f"{'/'.join(folder)} in the lake {self._url} has more than {MOST_NAMES:,} entries: remove some.")
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
                raise InvalidInput(f"{place} is a symbolic link, and none is followed in a lake: replace it by what it points to")
        return place

    def _scratch(self, path: LakePath, place: str) -> str:
        """The folder for temporary names. What dead writers left there, or next to the file, is removed once."""
        root = self._root.rstrip("/")
        scratch = f"{root}/{path[0]}" if len(path) > 1 else self._root
        parent = place.rsplit("/", 1)[0] or "/"
        for folder in dict.fromkeys((scratch, parent)):
            if folder in self._swept or self._puts_whole_files:
                continue
            self._swept.add(folder)
            if self._local:
                whole_files.remove_abandoned(Path(folder))
            else:
                self._remove_abandoned(folder)
        if self._local:
            os.makedirs(scratch, exist_ok=True)  # noqa: PTH103 - a text until here
        return scratch

    @property
    def _puts_whole_files(self) -> bool:
        return any(protocol in ATOMIC_PUT for protocol in self._protocols)

    def _remove_abandoned(self, folder: str) -> None:
        """By age, where the file system has it: locks cannot be observed from here."""
        with suppress(*_TROUBLES, NotImplementedError):
            self._files.invalidate_cache()
            for entry in self._files.ls(folder, detail=False)[:MOST_NAMES]:
                if not temporary.is_temporary(str(entry).rstrip("/").rsplit("/", 1)[-1]):
                    continue
                changed = self._files.modified(entry)
                aware = changed if changed.tzinfo else changed.replace(tzinfo=UTC)
                if datetime.now(UTC) - aware > timedelta(seconds=temporary.ABANDONED_AFTER_S):
                    self._files.rm_file(entry)

    def _create_remote(self, place: str, content: bytes) -> bool:
        if not any(protocol in CONDITIONAL_PUT for protocol in self._protocols):
            raise Unsupported(
                f"over {self._protocols[0]} files cannot be created exclusively, so one of two concurrent writes would be lost."
                " Keep the lake in a local folder (NFS too), or in S3, Google Cloud Storage or Azure"
            )
        self._files.makedirs(place.rsplit("/", 1)[0], exist_ok=True)
        if not self._put_if_absent(place, content):
            return False
        # A store that overlooks the condition would take the same again: it is asked once, with the same bytes.
        if not self._keeps_conditions and self._put_if_absent(place, content):
            raise Unsupported("the object store ignores the condition of a put (create only if absent). Use a newer one")
        self._keeps_conditions = True
        return True

    def _put_if_absent(self, place: str, content: bytes) -> bool:
        try:
            if "memory" in self._protocols:
                with _IN_MEMORY:
                    self._files.pipe_file(place, content, mode="create")
            else:
                self._files.pipe_file(place, content, mode="create")
        except FileExistsError:
            return False
        return True

    def _write_remote(self, place: str, content: bytes, scratch: str) -> None:
        self._files.makedirs(place.rsplit("/", 1)[0], exist_ok=True)
        if self._puts_whole_files:
            self._files.pipe_file(place, content)
            return
        next_to_it = f"{scratch.rstrip('/')}/{temporary.name_for(place.rsplit('/', 1)[1])}"
        try:
            self._files.pipe_file(next_to_it, content)
            self._files.mv(next_to_it, place)
        except _TROUBLES:
            with suppress(*_TROUBLES):
                self._files.rm(next_to_it)
            raise


_IN_MEMORY = threading.Lock()
"""fsspec's own memory is not safe between threads."""


def _names_a_user(url: str) -> bool:
    parts = parts_of(url)
    return "@" in url if parts is None else bool(parts.username or parts.password)


def _trouble(what: str, error: Exception) -> StatePathTrouble:
    """What the file system refused for want of a right is refused again."""
    if isinstance(error, OSError) and (isinstance(error, PermissionError) or error.errno == errno.EROFS):
        return NotAllowed(f"{what}: {error}. This process needs read and write permission on the whole lake.")
    if isinstance(error, OSError) and error.errno in _FULL:
        return StatePathTrouble(f"{what}: {error}. Make room there, then try again.")
    return StatePathTrouble(f"{what}: {error}")
