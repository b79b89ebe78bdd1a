"""Files as fsspec has them: of a local disk what is not `whole_files`, and all of Google Cloud Storage, Azure, a share, memory."""

import threading
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from holdfast.adapters import temporary
from holdfast.errors import Unsupported

ATOMIC_PUT = ("gs", "gcs", "abfs", "abfss", "az", "adl", "memory", "oci", "oss")
"""Protocols whose put shows a file whole or not at all."""
CONDITIONAL_PUT = ("gs", "gcs", "abfs", "abfss", "az", "memory")
"""Protocols whose put can refuse to overwrite (fsspec: `mode="create"`), and that then are atomic."""
MOST_LEFTOVERS = 100_000
_IN_MEMORY = threading.Lock()
"""fsspec's own memory is not safe between threads."""


class FsspecObjects:
    """Of a file system whose protocols these are. What it raises is raised as it came."""

    def __init__(self, files: Any, protocols: tuple[str, ...]) -> None:
        self._files = files
        self._protocols = protocols
        self._swept: set[str] = set()

    def put(self, place: str, content: bytes, scratch: str) -> None:
        """`scratch`: a folder for temporary names, where a file is shown while it is written."""
        self._files.makedirs(place.rsplit("/", 1)[0], exist_ok=True)
        if any(protocol in ATOMIC_PUT for protocol in self._protocols):
            self._files.pipe_file(place, content)
            return
        for folder in dict.fromkeys((scratch, place.rsplit("/", 1)[0] or "/")):
            self._remove_abandoned(folder)
        next_to_it = f"{scratch.rstrip('/')}/{temporary.name_for(place.rsplit('/', 1)[1])}"
        try:
            self._files.pipe_file(next_to_it, content)
            self._files.mv(next_to_it, place)
        except Exception:
            with suppress(Exception):
                self._files.rm(next_to_it)
            raise

    def put_if_absent(self, place: str, content: bytes) -> bool:
        """Whether it was put. Raise Unsupported where nothing could be relied on."""
        if not any(protocol in CONDITIONAL_PUT for protocol in self._protocols):
            raise Unsupported(
                f"over {self._protocols[0]} files cannot be created exclusively, so one of two concurrent writes would be lost."
                " Keep the lake in a local folder (NFS too), or in S3, Google Cloud Storage or Azure"
            )
        self._files.makedirs(place.rsplit("/", 1)[0], exist_ok=True)
        try:
            with _IN_MEMORY if "memory" in self._protocols else nullcontext():
                self._files.pipe_file(place, content, mode="create")
        except FileExistsError:
            return False
        return True

    def get(self, place: str, most: int) -> bytes:
        with self._files.open(place, "rb") as file:
            content: bytes = file.read(most)
        return content

    def has(self, place: str) -> bool:
        """Not fsspec's `isfile`, for which a store that does not answer has no file."""
        self._files.invalidate_cache()
        try:
            return bool(self._files.info(place)["type"] == "file")
        except (FileNotFoundError, NotADirectoryError):
            return False

    def names(self, place: str) -> Iterator[str]:
        self._files.invalidate_cache()
        for entry in self._files.ls(place, detail=False):
            yield str(entry).rstrip("/").rsplit("/", 1)[-1]

    def remove(self, place: str) -> None:
        self._files.invalidate_cache()
        self._files.rm(place, recursive=True)

    def _remove_abandoned(self, folder: str) -> None:
        """What dead writers left there, once, and by age: locks cannot be observed from here."""
        if folder in self._swept:
            return
        self._swept.add(folder)
        with suppress(Exception):
            self._files.invalidate_cache()
            for entry in self._files.ls(folder, detail=False)[:MOST_LEFTOVERS]:
                if not temporary.is_temporary(str(entry).rstrip("/").rsplit("/", 1)[-1]):
                    continue
                changed = self._files.modified(entry)
                aware = changed if changed.tzinfo else changed.replace(tzinfo=UTC)
                if datetime.now(UTC) - aware > timedelta(seconds=temporary.ABANDONED_AFTER_S):
                    self._files.rm_file(entry)
