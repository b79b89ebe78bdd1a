"""A lake in memory."""

import re

from holdfast.errors import InvalidInput, StatePathTrouble
from holdfast.ports import LakePath

SEGMENT = re.compile(r"[A-Za-z0-9=%_@+-][A-Za-z0-9=%._@+-]{0,239}", re.ASCII)


class MemoryLake:
    """Files in a dict, keyed by path."""

    def __init__(self) -> None:
        self.files: dict[LakePath, bytes] = {}

    @property
    def url(self) -> str:
        return "a lake in memory"

    def write(self, path: LakePath, content: bytes) -> None:
        self.files[_checked(path)] = content

    def create(self, path: LakePath, content: bytes) -> bool:
        if _checked(path) in self.files:
            return False
        self.files[path] = content
        return True

    def read(self, path: LakePath, limit: int) -> bytes:
        content = self.files.get(_checked(path))
        if content is None or len(content) > limit:
            raise StatePathTrouble(f"{'/'.join(path)} is not there, or larger than {limit:,} bytes")
        return content

    def exists(self, path: LakePath) -> bool:
        return _checked(path) in self.files

    def remove(self, path: LakePath) -> None:
        depth = len(_checked(path))
        self.files = {place: content for place, content in self.files.items() if place[:depth] != path}

    def names(self, folder: LakePath) -> tuple[str, ...]:
        depth = len(_checked(folder))
        return tuple(sorted({path[depth] for path in self.files if len(path) > depth and path[:depth] == folder}))


def _checked(path: LakePath) -> LakePath:
    if any(not SEGMENT.fullmatch(segment) for segment in path):
        raise InvalidInput(f"{path} cannot be a path in the lake")
    return path
