"""The journal of a plan in the lake: `plans/<plan id>/journal/00001.json` and on, one file an entry, each created once.

An entry names the digest of the one before, the first one that of the approval; `journal-head.json` says how long the journal is at
least. With a key all of them are signed. Two who append at once both want the same number: one of them is refused, and has done
nothing yet. Journals of former versions, `journal.jsonl`, are read, and go on as numbered entries.
"""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from holdfast.errors import InvalidInput, StatePathTrouble, StepRefused
from holdfast.ports import Lake, LakePath
from holdfast.rollout.journal import seal
from holdfast.rollout.journal.journal import Head, Journal, JournalEntry, Link
from holdfast.rollout.journal.seal import NO_KEYS, Seal, Sealed, SigningKeys
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps, loads
from holdfast.workflows.writers import versions

FOLDER = "plans"
OF_BEFORE = "journal.jsonl"
ENTRIES = "journal"
HEAD = "journal-head.json"
LARGEST_OF_BEFORE = 16 * 1024 * 1024
LARGEST_ENTRY = 1024 * 1024
DIGITS = 5
READERS = 8
T = TypeVar("T")


class Break(StrEnum):
    """What is wrong with a journal as a whole, whatever its signatures say."""

    GAP = "an entry is missing"
    CHAIN = "an entry does not follow the one before it"
    CUT = "entries at the end are missing"
    NO_HEAD = "its head, which has the number of entries, is missing"
    OTHER_PLAN = "an entry belongs to another plan or position"


@dataclass(frozen=True, slots=True)
class Kept:
    """A stored journal. `last`: the digest of the last entry, or of what the first one follows. `there`: anything is stored.
    `leases`: of each entry the number of the group's lease under which it was added; 0: not kept."""

    journal: Journal
    last: str
    number: int
    seal: Seal
    broken: Break | None = None
    head_is_behind: bool = False
    there: bool = False
    leases: tuple[int, ...] = ()

    @property
    def standing(self) -> str:
        """For people."""
        return self.seal.value if self.broken is None else f"broken: {self.broken.value}"


def read(lake: Lake, plan_id: str, keys: SigningKeys = NO_KEYS) -> Kept:
    """All entries so far, whatever their standing (`refuse_broken`). Raise InvalidInput for what is no entry at all.

    A run may be adding entries meanwhile: each is there before the head counts it, so the head is read before they are listed.
    """
    with versions.explained(lake):
        return _read(lake, plan_id, keys)


def _read(lake: Lake, plan_id: str, keys: SigningKeys) -> Kept:
    folder = lake.names((FOLDER, plan_id))
    head, head_seal = _head(lake, plan_id, folder, keys)
    before, root = _before(lake, plan_id, folder)
    any_there = ENTRIES in folder or (head is not None and head.entries > 0)
    numbers = [name for name in lake.names((FOLDER, plan_id, ENTRIES)) if _number(name)] if any_there else []
    with ThreadPoolExecutor(READERS) as readers:
        contents = list(readers.map(lambda name: lake.read((FOLDER, plan_id, ENTRIES, name), LARGEST_ENTRY), numbers))
    links, seals, digests = [], [Seal.UNSIGNED] if before else [], [root]
    for name, content in zip(numbers, contents, strict=True):
        document = _loaded((FOLDER, plan_id, ENTRIES, name), content)
        links.append(_read_as(document, codec_of(Link).read, (FOLDER, plan_id, ENTRIES, name)))
        seals.append(seal.seal_of(document, Sealed.ENTRY, keys))
        digests.append(digest(content))
    if head is not None:
        seals.append(head_seal)
    broken = _break(plan_id, tuple(links), [_number(name) for name in numbers], digests)
    signed_before = "approval.json" in folder and any(one is not Seal.UNSIGNED for one in seals)
    return Kept(
        journal=Journal(plan_id, (*before, *(link.entry for link in links))),
        last=digests[-1],
        number=_number(numbers[-1]) if numbers else 0,
        seal=seal.worst(seals),
        broken=broken or _head_break(plan_id, head, digests, needed=signed_before or (bool(keys) and "approval.json" in folder)),
        head_is_behind=head is not None and head.entries < len(links),
        there=bool(seals),
        leases=(*(0 for _ in before), *(link.lease for link in links)),
    )


def _before(lake: Lake, plan_id: str, folder: tuple[str, ...]) -> tuple[tuple[JournalEntry, ...], str]:
    """The entries of a journal of former versions, and the digest of what the first numbered entry follows."""
    if OF_BEFORE in folder:
        place = (FOLDER, plan_id, OF_BEFORE)
        content = lake.read(place, LARGEST_OF_BEFORE)
        lines = [line for line in content.splitlines() if line.strip()]
        return tuple(_read_as(_loaded(place, line), codec_of(JournalEntry).read, place) for line in lines), digest(content)
    if "approval.json" in folder:
        return (), digest(lake.read((FOLDER, plan_id, "approval.json"), LARGEST_ENTRY))
    return (), digest(b"")


def _break(plan_id: str, links: tuple[Link, ...], numbers: list[int], digests: list[str]) -> Break | None:
    if numbers != list(range(1, len(numbers) + 1)):
        return Break.GAP
    if any((link.plan_id, link.number) != (plan_id, number) for link, number in zip(links, numbers, strict=True)):
        return Break.OTHER_PLAN
    if any(link.previous != before for link, before in zip(links, digests, strict=False)):
        return Break.CHAIN
    return None


def _head_break(plan_id: str, head: Head | None, digests: list[str], *, needed: bool) -> Break | None:
    if head is None:
        return Break.NO_HEAD if needed else None
    if head.plan_id != plan_id:
        return Break.OTHER_PLAN
    if head.entries >= len(digests):
        return Break.CUT
    return Break.CHAIN if head.entries > 0 and digests[head.entries] != head.last else None


def _head(lake: Lake, plan_id: str, folder: tuple[str, ...], keys: SigningKeys) -> tuple[Head | None, Seal]:
    if HEAD not in folder:
        return None, Seal.UNSIGNED
    place = (FOLDER, plan_id, HEAD)
    document = _loaded(place, lake.read(place, LARGEST_ENTRY))
    return _read_as(document, codec_of(Head).read, place), seal.seal_of(document, Sealed.HEAD, keys)


def refuse_broken(kept: Kept, keys: SigningKeys) -> None:
    """Raise StepRefused for a journal that was cut or changed, or that this deployment did not sign though it signs."""
    what = f"The journal of plan {kept.journal.plan_id}"
    if kept.broken is not None:
        raise StepRefused(
            f"{what} is not whole: {kept.broken.value}. It is not used. Check who writes to the lake, then create a new plan."
        )
    if keys and kept.there:
        seal.refuse(kept.seal, what, keys)
    if kept.seal is Seal.UNCHECKED:
        raise StepRefused(
            f"{what} is signed, and no key was given: new entries would be unsigned, and the journal would then be refused."
            " Give the key with --key-file, or apply it where it was approved."
        )


def begin(lake: Lake, plan_id: str, keys: SigningKeys) -> None:
    """Say that the journal is empty, before there is an approval: from then on it cannot vanish unnoticed."""
    lake.create((FOLDER, plan_id, HEAD), _head_bytes(Head(plan_id, 0, ""), keys))


def written_by_another_run(plan_id: str) -> StatePathTrouble:
    return StatePathTrouble(f"Another run is applying plan {plan_id}: its journal has new entries. Find out which run.")


def append(lake: Lake, kept: Kept, entry: JournalEntry, keys: SigningKeys = NO_KEYS, lease: int = 0) -> Kept:
    """Add one entry, durably, and return the longer journal. Raise StatePathTrouble if another run added one meanwhile."""
    plan_id, number = kept.journal.plan_id, kept.number + 1
    link = codec_of(Link).write(Link(plan_id, number, kept.last, entry, lease))
    content = dumps(seal.signed(link, Sealed.ENTRY, keys), indent=2).encode()
    place = (FOLDER, plan_id, ENTRIES, f"{number:0{DIGITS}}.json")
    # An object store may have taken it, and lost the answer: then the stored entry is this one, byte for byte.
    if not lake.create(place, content) and (not lease or lake.read(place, LARGEST_ENTRY) != content):
        raise written_by_another_run(plan_id)
    journal, leases = kept.journal.with_entry(entry), (*kept.leases, lease)
    longer = replace(kept, journal=journal, last=digest(content), number=number, leases=leases)
    if keys and kept.number == 0:
        longer = replace(longer, seal=Seal.SIGNED)
    return write_head(lake, longer, keys)


def write_head(lake: Lake, kept: Kept, keys: SigningKeys) -> Kept:
    lake.write((FOLDER, kept.journal.plan_id, HEAD), _head_bytes(Head(kept.journal.plan_id, kept.number, kept.last), keys))
    return replace(kept, head_is_behind=False)


def _head_bytes(head: Head, keys: SigningKeys) -> bytes:
    return dumps(seal.signed(codec_of(Head).write(head), Sealed.HEAD, keys), indent=2).encode()


def digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _number(name: str) -> int:
    """Of an entry's file; 0 for what is none."""
    stem, dot, ending = name.partition(".")
    return int(stem) if dot and ending == "json" and len(stem) == DIGITS and stem.isascii() and stem.isdigit() else 0


def _loaded(place: LakePath, content: bytes) -> object:
    try:
        return loads(content)
    except InvalidInput as problem:
        raise InvalidInput(str(problem), "/".join(place)) from None


def _read_as(document: object, kind: Callable[[object], T], place: LakePath) -> T:
    try:
        return kind(document)
    except InvalidInput as problem:
        raise InvalidInput(str(problem), "/".join(place)) from None
