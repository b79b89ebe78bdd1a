"""The names that are found in a snapshot, and in a change to its group, each in the role that it has there."""

from collections.abc import Iterable
from enum import StrEnum


class Role(StrEnum):
    """What a name is the name of. `ENTRY`: a file, a named topology; `PATTERN`: a regular expression for topics."""

    GROUP = "group"
    CLUSTER = "cluster"
    TOPIC = "topic"
    PROCESS = "process"
    MEMBER = "member"
    CLIENT = "client"
    INSTANCE = "instance"
    HOST = "host"
    RACK = "rack"
    ENDPOINT = "endpoint"
    TAG = "tag"
    TAG_VALUE = "tag_value"
    SUBTOPOLOGY = "subtopology"
    STORE = "store"
    DIRECTORY = "directory"
    ENTRY = "entry"
    PATTERN = "pattern"


class Found:
    """Collects them. `streams`: names have the parts that Kafka Streams puts into them; `deciding`: the roles, in addition to those
    of members and processes, whose hash codes decide. `together`: members whose order among each other decides; where Kafka Streams
    does not name them, that of all does."""

    def __init__(self, group_id: str, *, streams: bool, deciding: Iterable[Role] = ()) -> None:
        self.group_id, self.streams = group_id, streams
        self.deciding = set(deciding)
        self.together: list[tuple[str, ...]] = []
        self._names: dict[Role, dict[str, None]] = {role: {} for role in Role}
        self.add(Role.GROUP, group_id)

    def add(self, role: Role, *names: str | None) -> None:
        """A host may be given as a broker shows it, with a slash. What is empty is no name."""
        known = self._names[role]
        for name in names:
            if name:
                known[name.removeprefix("/") if role is Role.HOST else name] = None

    def of(self, role: Role) -> tuple[str, ...]:
        return tuple(name for name in self._names[role] if name)
