"""What stands for each name: the same always for the same, in the same order as Java orders text, and with the same hash code where
that decides.

Names of Kafka Streams keep the parts that Kafka Streams puts into them: the application ID, process IDs, `-changelog`, the number
of a thread. Nothing depends on chance or on a name itself, only on what is kept of it: its rank, its hash code, the first digits of
an ID.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.kafka import java
from holdfast.kafka.coordinator.consumer import topic_regex
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.redaction import same_hash
from holdfast.rollout.redaction.found import Found, Role
from holdfast.rollout.redaction.numbered import numbered

KEPT_DIGITS = 4
"""Of a UUID: the chance of each rank that a new random ID may take stays as it was, to 1 in 65,536."""
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_RANDOM_END = re.compile(rf"-({_UUID})\Z")
_PROCESS = re.compile(rf"{_UUID}\Z")
_RANDOM = re.compile(r"[A-Za-z0-9_-]{22}\Z", re.ASCII)
"""A member ID as Kafka's `Uuid` writes it."""
_THREAD = re.compile(r"-StreamThread-[0-9]{1,9}-consumer", re.ASCII)
_NUMBER = re.compile(r"-[0-9]{1,9}\Z", re.ASCII)
_SUFFIXES = ("-changelog", "-repartition")
_PLAIN: Mapping[Role, str] = {
    Role.HOST: "host",
    Role.RACK: "rack",
    Role.TAG: "tag",
    Role.TAG_VALUE: "zone",
    Role.STORE: "store",
    Role.ENTRY: "entry",
}
"""Roles whose names decide by their order alone, if at all."""


class Names:
    """`keeps_hash_codes` False: no hash code is kept, of IDs neither."""

    def __init__(self, found: Found, *, keeps_hash_codes: bool = True) -> None:
        self._hashes = frozenset((*found.deciding, Role.MEMBER, Role.PROCESS)) if keeps_hash_codes else frozenset[Role]()
        self._found = found
        self._new: dict[Role, dict[str, str]] = {}
        self._new[Role.CLUSTER] = dict.fromkeys(found.of(Role.CLUSTER), "cluster")
        self._new[Role.GROUP] = {name: self._with_tail(Role.GROUP, "group", name) for name in found.of(Role.GROUP)}
        for role, word in _PLAIN.items():
            self._new[role] = dict(numbered(word, found.of(role)))
        self._new[Role.ENDPOINT] = {name: f"{new}:8080" for name, new in numbered("endpoint", found.of(Role.ENDPOINT)).items()}
        self._new[Role.DIRECTORY] = {
            name: f"file:///{new}" for name, new in numbered("directory", found.of(Role.DIRECTORY)).items()
        }
        self._new[Role.SUBTOPOLOGY] = _subtopologies(found.of(Role.SUBTOPOLOGY))
        self._new[Role.TOPIC] = self._topics()
        self._new[Role.PATTERN] = self._patterns()
        self._new[Role.PROCESS] = self._processes()
        self._name_members()

    @property
    def group(self) -> str:
        return self.of(Role.GROUP, self._found.group_id)

    @property
    def mapping(self) -> Mapping[Role, Mapping[str, str]]:
        """Each name, and what stands for it."""
        return self._new

    @property
    def hash_codes(self) -> Mapping[Role, int]:
        """How many names of people's choice keep their hash codes, by role. Random IDs, and what ends with one, are not counted."""
        chosen = {
            Role.GROUP: self._found.of(Role.GROUP),
            Role.TOPIC: self._found.of(Role.TOPIC),
            Role.MEMBER: [one for one in self._found.of(Role.MEMBER) if not _RANDOM_END.search(one) and not _RANDOM.match(one)],
            Role.PROCESS: [one for one in self._found.of(Role.PROCESS) if not _PROCESS.match(one)],
        }
        return {role: len(names) for role, names in chosen.items() if names and role in self._hashes}

    def of(self, role: Role, name: str) -> str:
        """Raise KeyError for a name that was not found before."""
        if not name:
            return name
        if role is Role.HOST:
            bare = name.removeprefix("/")
            return name[: len(name) - len(bare)] + self._new[role][bare] if bare else name
        return self._new[role][name]

    def maybe(self, role: Role, name: str | None) -> str | None:
        return None if name is None else self.of(role, name)

    def each(self, role: Role, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(self.of(role, name) for name in names)

    def process(self, process_id: ProcessId) -> ProcessId:
        return ProcessId.parse(self.of(Role.PROCESS, str(process_id)))

    def store(self, name: str) -> str:
        """Of a store whose changelog is known, the name in that."""
        changelog = self._new[Role.TOPIC].get(f"{self._found.group_id}-{name}-changelog")
        if changelog is None:
            return self.of(Role.STORE, name)
        return changelog.removeprefix(f"{self.group}-").removesuffix("-changelog")

    def known(self, name: str) -> str | None:
        """What stands for it in whatever role it has. None: it was not found in any."""
        return next((new[name] for new in self._new.values() if name in new), None)

    def _with_tail(self, role: Role, text: str, name: str) -> str:
        if role not in self._hashes:
            return text
        return same_hash.ended(text, java.string_hash(name))

    def _code(self, role: Role, name: str, instead: str) -> int:
        """The hash code that what stands for it gets."""
        return java.string_hash(name if role in self._hashes else instead)

    # Topics.

    def _patterns(self) -> dict[str, str]:
        """Expressions that match what stands for the topics that these match, and no two alike."""
        topics = self._found.of(Role.TOPIC)
        found = {}
        for number, pattern in enumerate(self._found.of(Role.PATTERN)):
            try:
                matched = topic_regex.matching(pattern, topics)
            except HoldfastError:
                matched = ()  # no coordinator that is covered resolves it
            names = sorted(map(re.escape, self.each(Role.TOPIC, matched)))
            found[pattern] = "|".join((*names, f"pattern-{number}"))
        return found

    def _topics(self) -> dict[str, str]:
        topics = sorted(self._found.of(Role.TOPIC), key=java.string_order)
        if not self._found.streams:
            return {name: self._with_tail(Role.TOPIC, new, name) for name, new in numbered("topic", topics).items()}
        own = f"{self._found.group_id}-"
        start = java.string_order(own)
        others = [one for one in topics if not one.startswith(own)]
        parts = {one: _stem(one[len(own) :]) for one in topics if one.startswith(own)}
        stems = _ranked("store", dict.fromkeys(stem for stem, _ in parts.values()))
        new = {
            **_whole_topics("a-topic", (one for one in others if java.string_order(one) < start)),
            **_whole_topics("topic", (one for one in others if java.string_order(one) > start)),
            **{one: f"{self.group}-{stems[stem]}{end}" for one, (stem, end) in parts.items()},
        }
        return new if _distinct(new.values()) else dict(numbered("topic", topics))

    # Process IDs.

    def _processes(self) -> dict[str, str]:
        names = dict.fromkeys(self._found.of(Role.PROCESS))
        for role in (Role.CLIENT, Role.MEMBER):
            names |= dict.fromkeys(process for name in self._found.of(role) if (process := self._process_in(name)))
        ids = sorted(ProcessId.parse(name) for name in names if _PROCESS.match(name))
        starts = _starts([str(one) for one in ids])
        new = {str(one): same_hash.process_id(starts[str(one)], *self._process_codes(one, starts[str(one)])) for one in ids}
        others = numbered("process", (name for name in names if not _PROCESS.match(name)))
        return new | {name: self._with_tail(Role.PROCESS, text, name) for name, text in others.items()}

    def _process_codes(self, process_id: ProcessId, start: str) -> tuple[int, int]:
        if Role.PROCESS in self._hashes:
            return same_hash.codes_of(process_id)
        return java.string_hash(start), java.string_hash(start[::-1])

    def _process_in(self, name: str) -> str | None:
        """The process ID that Kafka Streams has put into a client ID, or a member ID, behind the application ID."""
        own = f"{self._found.group_id}-"
        if not self._found.streams or not name.startswith(own):
            return None
        start = name[len(own) : len(own) + 36]
        return start if _PROCESS.match(start) else None

    # Members, their client IDs and their instance IDs.

    def _name_members(self) -> None:
        """A member ID is a client ID or an instance ID, and a random end; or any text."""
        clients, instances, members = (self._found.of(role) for role in (Role.CLIENT, Role.INSTANCE, Role.MEMBER))
        heads = self._heads(dict.fromkeys((*clients, *instances, *map(_head, members))), frozenset(instances))
        self._new[Role.CLIENT] = {name: heads[name] for name in clients}
        self._new[Role.INSTANCE] = {name: heads[name] for name in instances}
        if not _in_order(self._new[Role.INSTANCE]):
            self._new[Role.INSTANCE] = dict(numbered("instance", instances))
        new = self._members(members, heads)
        together = self._found.together if self._found.streams else [members]
        if not _distinct(new.values()) or not all(_in_order({one: new[one] for one in some}) for some in together):
            new = self._members_by_rank(members)
        self._new[Role.MEMBER] = new

    def _heads(self, names: Iterable[str], instances: frozenset[str]) -> dict[str, str]:
        """Of client IDs and instance IDs. What Kafka Streams adds for a thread is kept."""
        parts = {name: self._parts(name, numbered_instance=name in instances) for name in names}
        ranked = self._ranked({base: None for base, _ in parts.values() if not self._made_by_streams(base)}, "client")
        return {
            name: f"{self._of_streams(base) if self._made_by_streams(base) else ranked[base]}{end}"
            for name, (base, end) in parts.items()
        }

    def _ranked(self, names: Iterable[str], word: str) -> dict[str, str]:
        """By rank, before and behind the names that begin with the application ID, as new threads' do."""
        own = java.string_order(f"{self._found.group_id}-")
        words = {-1: f"a-{word}", 0: f"{self.group}-{word}", 1: f"the-{word}"} if self._found.streams else {1: word}
        zones: dict[int, list[str]] = {zone: [] for zone in words}
        for name in names:
            order = java.string_order(f"{name}-")
            zones[1 if not self._found.streams else 0 if order.startswith(own) else -1 if order < own else 1].append(name)
        return {name: new for zone, some in zones.items() for name, new in _ranked(words[zone], some).items()}

    def _parts(self, name: str, *, numbered_instance: bool = False) -> tuple[str, str]:
        """A name without what Kafka Streams adds for a thread, and that."""
        found = _THREAD.search(name) if self._found.streams else None
        if found is None and self._found.streams and numbered_instance:
            found = _NUMBER.search(name)
        return (name, "") if found is None else (name[: found.start()], found[0])

    def _made_by_streams(self, base: str) -> bool:
        process = self._process_in(base)
        return process is not None and base == f"{self._found.group_id}-{process}"

    def _of_streams(self, base: str) -> str:
        return f"{self.group}-{self.of(Role.PROCESS, base.removeprefix(f'{self._found.group_id}-'))}"

    def _members(self, members: Sequence[str], heads: Mapping[str, str]) -> dict[str, str]:
        of_head: dict[str, list[str]] = {}
        for one in members:
            of_head.setdefault(_head(one), []).append(one)
        new: dict[str, str] = {}
        for head, theirs in of_head.items():
            random = sorted(one for one in theirs if one != head)
            starts = _starts([one[-36:] for one in random])
            before = f"{heads[head]}-"
            for one in random:
                start = starts[one[-36:]]
                new[one] = before + same_hash.uuid_text(before, start, self._code(Role.MEMBER, one, start))
            if head in theirs:
                new[head] = self._whole_member(heads[head], head)
        return new

    def _whole_member(self, text: str, name: str) -> str:
        return same_hash.ended(text, self._code(Role.MEMBER, name, text))

    def _members_by_rank(self, members: Sequence[str]) -> dict[str, str]:
        """Where client IDs begin with each other, so that the members of both are among each other."""
        ranked = self._ranked(members, "member")
        return {name: self._whole_member(f"{text}{self._parts(name)[1]}", name) for name, text in ranked.items()}


def _head(member_id: str) -> str:
    found = _RANDOM_END.search(member_id)
    return member_id if found is None else member_id[: found.start()]


def _stem(topic: str) -> tuple[str, str]:
    end = next((one for one in _SUFFIXES if topic.endswith(one)), "")
    return topic.removesuffix(end), end


def _whole_topics(word: str, topics: Iterable[str]) -> dict[str, str]:
    return {name: f"{new}{_stem(name)[1]}" for name, new in numbered(word, topics).items()}


def _ranked(word: str, names: Iterable[str]) -> dict[str, str]:
    """As `numbered`, in the order that they have with a dash behind."""
    behind = numbered(word, (f"{name}-" for name in names))
    return {name[:-1]: new for name, new in behind.items()}


def _subtopologies(ids: Sequence[str]) -> dict[str, str]:
    """Numbers name nothing."""
    if all(one.isascii() and one.isdigit() and len(one) < 10 for one in ids):
        return {one: one for one in ids}
    return dict(numbered("s", ids))


def _starts(ids: Sequence[str]) -> dict[str, str]:
    """The first 8 digits of what stands for each: 4 are kept, 4 keep the order of those that begin alike. `ids`: in their order."""
    alike: dict[str, list[str]] = {}
    for one in ids:
        alike.setdefault(one[:KEPT_DIGITS], []).append(one)
    room = 16 ** (8 - KEPT_DIGITS)
    for start, some in alike.items():
        if len(some) > room:
            raise InvalidInput(f"{len(some):,} IDs begin with {start}; {room:,} can be replaced in their order")
    return {
        one: f"{start}{(2 * rank + 1) * room // (2 * len(some)):04x}"
        for start, some in alike.items()
        for rank, one in enumerate(some)
    }


def _in_order(new: Mapping[str, str]) -> bool:
    """Whether what stands for the names is in their order, each once."""
    values = [new[name] for name in sorted(new, key=java.string_order)]
    return values == sorted(values) and _distinct(values)


def _distinct(values: Iterable[str]) -> bool:
    listed = list(values)
    return len(set(listed)) == len(listed)
