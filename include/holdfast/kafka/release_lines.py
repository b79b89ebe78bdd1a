"""From a release to its line: what the tables of Kafka Streams and of consumers have in common."""

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar


class _Line(Protocol):
    @property
    def releases(self) -> tuple[str, ...]: ...


L = TypeVar("L", bound=_Line)


class ReleaseLines(Generic[L]):
    """Lines of releases that behave alike, oldest first. `releases`: all of them, line by line."""

    def __init__(self, lines: Sequence[L]) -> None:
        self.releases = tuple(release for line in lines for release in line.releases)
        self._line_of = {release: line for line in lines for release in line.releases}

    def find(self, release: str) -> L | tuple[str, ...]:
        """The line of `3.9.1`, or of `3.9` where all of 3.9 behave alike. Else the patches of `3.9`, of which there may be none."""
        line = self._line_of.get(release)
        if line is not None:
            return line
        patches = tuple(known for known in self.releases if known.rpartition(".")[0] == release)
        lines = {self._line_of[known].releases: self._line_of[known] for known in patches}
        return next(iter(lines.values())) if len(lines) == 1 else patches


def patches(minor: str, first: int, last: int) -> tuple[str, ...]:
    """`patches("3.9", 0, 1)`: 3.9.0 and 3.9.1."""
    return tuple(f"{minor}.{patch}" for patch in range(first, last + 1))


def is_older(release: str, than: str) -> bool:
    """Whether one release came before another. `3.9` is before all of 3.9."""
    return numbers(release) < numbers(than)


def numbers(release: str) -> tuple[int, ...]:
    """What releases are ordered by."""
    return tuple(int(part) for part in release.split(".") if part.isdecimal())
