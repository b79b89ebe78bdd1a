"""The lake on any place that fsspec reaches: a local folder by default, an object store, a share.

A file is written whole or not at all: on a local disk under a temporary name, synced, renamed, and the folder synced; on object
stores by their own atomic put; elsewhere under a temporary name and moved. Temporary names are in the first folder of the path
(`plans/`), where the next writer finds what a dead one left. No path leads out of the lake: every segment is checked, and no
symbolic link below the lake's own folder is followed.

A file is created only where there is none: on a local disk by a hard link, on object stores by their conditional put. Other
protocols offer nothing that two writers could rely on, and are refused by name.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from fsspec.implementations.local import LocalFileSystem

from holdfast.adapters import whole_files
from holdfast.adapters.lake import objects
from holdfast.adapters.lake.address import LakeAddress
from holdfast.adapters.lake.lake_connection import address_of
from holdfast.adapters.lake.s3_objects import S3Objects
from holdfast.errors import HoldfastError, InvalidInput, StatePathTrouble, Unsupported
from holdfast.ports import LakePath

MOST_NAMES = 100_000
_SEGMENT = re.compile(r"[A-Za-z0-9=%_@+-][A-Za-z0-9=%._@+-]{0,239}", re.ASCII)


class FsspecLake:
    """`place`: a folder, or any URL that fsspec understands, with settings or without. It is created when something is first
    written; a bucket is not."""

    def __init__(self, place: str | LakeAddress) -> None:
        self._address = address_of(place)
        self._files, self._root = self._address.opened()
        self._local = isinstance(self._files, LocalFileSystem)
        self._objects = objects.of(self._files)
        self._swept: set[str] = set()
        self._keeps_conditions = False

    @property
    def url(self) -> str:
        return self._address.url

    @property
    def address(self) -> LakeAddress:
        return self._address

    def write(self, path: LakePath, content: bytes) -> None:
        place = self._place(path)
        with self._explained(f"{'/'.join(path)} cannot be written to the lake {self.url}"):
            if self._local:
                whole_files.replace(Path(place), content, self._local_scratch(path, place))
            elif isinstance(self._objects, S3Objects):
                self._objects.put(place, content)
            else:
                self._objects.put(place, content, self._scratch(path))

    def create(self, path: LakePath, content: bytes) -> bool:
        place = self._place(path)
        what = f"{'/'.join(path)} cannot be created in the lake {self.url}"
        try:
            with self._explained(what):
                if self._local:
                    return whole_files.create(Path(place), content, self._local_scratch(path, place))
                return self._create_remote(place, content)
        except Unsupported as refusal:
            raise Unsupported(f"{what}: {refusal}.") from None

    def read(self, path: LakePath, limit: int) -> bytes:
        place = self._place(path)
        try:
            with self._explained(f"{'/'.join(path)} in the lake {self.url} cannot be read", may_lack=True):
                content = self._objects.get(place, limit + 1)
        except FileNotFoundError:
            raise StatePathTrouble(f"The lake {self.url} holds no {'/'.join(path)}.") from None
        if len(content) > limit:
            raise StatePathTrouble(f"{'/'.join(path)} in the lake {self.url} is larger than the {limit:,} bytes allowed.")
        return content

    def exists(self, path: LakePath) -> bool:
        place = self._place(path)
        with self._explained(f"{'/'.join(path)} in the lake {self.url} cannot be looked up"):
            return self._objects.has(place)

    def remove(self, path: LakePath) -> None:
        place = self._place(path)
        try:
            with self._explained(f"{'/'.join(path)} in the lake {self.url} cannot be deleted", may_lack=True):
                self._objects.remove(place)
        except FileNotFoundError:
            return

    def names(self, folder: LakePath) -> tuple[str, ...]:
        place = self._place(folder)
        try:
            with self._explained(f"{'/'.join(folder)} in the lake {self.url} cannot be listed", may_lack=True):
                found = tuple(islice(self._objects.names(place), MOST_NAMES + 1))
        except (FileNotFoundError, NotADirectoryError):
            return ()
        if len(found) > MOST_NAMES:
            raise StatePathTrouble(f"{'/'.join(folder)} in the lake {self.url} has more than {MOST_NAMES:,} entries: remove some.")
        return tuple(sorted({name for name in found if _SEGMENT.fullmatch(name)}))

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

    def _scratch(self, path: LakePath) -> str:
        """The folder for temporary names."""
        return f"{self._root.rstrip('/')}/{path[0]}" if len(path) > 1 else self._root

    def _local_scratch(self, path: LakePath, place: str) -> Path:
        """The same on a disk. What dead writers left there, or next to the file, is removed once."""
        scratch = self._scratch(path)
        for folder in dict.fromkeys((scratch, place.rsplit("/", 1)[0] or "/")):
            if folder not in self._swept:
                self._swept.add(folder)
                whole_files.remove_abandoned(Path(folder))
        os.makedirs(scratch, exist_ok=True)  # noqa: PTH103 - a text until here
        return Path(scratch)

    def _create_remote(self, place: str, content: bytes) -> bool:
        if not self._objects.put_if_absent(place, content):
            return False
        # A store that overlooks the condition would take the same again: it is asked once, with the same bytes.
        if not self._keeps_conditions and self._objects.put_if_absent(place, content):
            raise Unsupported("the object store ignores the condition of a put (create only if absent). Use a newer one")
        self._keeps_conditions = True
        return True

    @contextmanager
    def _explained(self, what: str, *, may_lack: bool = False) -> Iterator[None]:
        """Raise StatePathTrouble for what the file system says; where it `may_lack`, what is not there stays FileNotFoundError."""
        try:
            yield
        except HoldfastError:
            raise
        except Exception as error:
            if self._local and not isinstance(error, OSError):
                raise
            if may_lack and objects.is_absent(error):
                raise
            raise objects.trouble(self._objects, what, self._root, error) from None
