"""The few Protocols that the workflows need. Each has a fake that passes the same tests as the real adapter (tests/contract)."""

from typing import Protocol

from holdfast.kafka.vocabulary import ProcessId

LakePath = tuple[str, ...]
"""Segments of a path in the lake, each of letters, digits and `=%._@+-`, none beginning with a dot."""


class Lake(Protocol):
    """Where snapshots and plans are kept. A file appears whole or not at all; no path leads out of it."""

    @property
    def url(self) -> str:
        """Where it is, without user or password."""
        ...

    def write(self, path: LakePath, content: bytes) -> None:
        """Put `content` at `path`, in place of what was there. Raise StatePathTrouble, and leave what was there, if that fails."""
        ...

    def read(self, path: LakePath, limit: int) -> bytes:
        """All of the file. Raise StatePathTrouble if it is not there, cannot be read, or is larger than `limit` bytes."""
        ...

    def exists(self, path: LakePath) -> bool:
        """Whether there is such a file (not a folder)."""
        ...

    def names(self, folder: LakePath) -> tuple[str, ...]:
        """The names directly below `folder`, sorted; none if there is no such folder. Unfinished and foreign names are left out."""
        ...


class ProcessMetadataFiles(Protocol):
    """The file `kafka-streams-process-metadata` in state directories. `state_dir` is the URL of `<state.dir>/<application.id>`."""

    def read(self, state_dir: str) -> ProcessId | None:
        """The process ID in the directory; None if it, or the file, is not there. Raise StatePathTrouble for a broken file."""
        ...

    def write(self, state_dir: str, process_id: ProcessId) -> None:
        """Write the file whole or not at all, and durably. Raise StatePathTrouble if it holds another ID, or cannot be written."""
        ...
