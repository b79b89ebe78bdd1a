"""The inputs of `fuzz_documents`: real documents of every kind, broken ones, and unusual changes."""

import functools
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tests.harness import article, nasty, odd_changes, plain_groups
from tests.harness.nasty import Document, Nasty

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Real:
    """What documents are made from."""

    snapshots: tuple[Document, ...]
    readers: tuple[Document, ...]
    documents: dict[str, tuple[Document, ...]]


@functools.cache
def real() -> Real:
    """Documents as they are, of every kind; made once."""
    from tests.harness.plans import NOON, article_plan, planned

    from holdfast.rollout.journal.journal import Approval, JournalEntry, JournalEvent
    from holdfast.rollout.json.record import codec_of
    from holdfast.rollout.kinds import any_document
    from holdfast.rollout.kinds.plan_summary import SUMMARY, summary
    from holdfast.rollout.policy.json import policy_to_json
    from holdfast.rollout.policy.policy import Policy
    from holdfast.rollout.streams.execution.verdict import VERDICT
    from holdfast.rollout.streams.execution.verify import verify
    from holdfast.rollout.streams.snapshot.json import snapshot_from_json
    from holdfast.workflows import plan as planning

    recorded = [json.loads(one.read_bytes()) for one in sorted((ROOT / "tests/unit/recorded").glob("streams-*.json"))]
    snapshots = (
        *(article.group(article.AFTER, release=release) for release in ("2.7.2", "3.9.1", "4.3.1", None)),
        article.fleet(5, 20, 3)[0],
        *(one for one in recorded if isinstance(one, dict) and "clients" in one),
    )
    members = {"a": plain_groups.member(0, 1, 2, host="app-a"), "b": plain_groups.member(3, 4, 5, host="app-b", client_id="b")}
    ranged = {name: plain_groups.member(assignors=["range"], host=f"app-{name}", generation=None) for name in "cde"}
    readers = (plain_groups.group(members), plain_groups.group(ranged, partitions=7))
    plan = article_plan()
    random_id = {"replace_client": {"process_id": article.C, "by": {"process_id": None, "threads": 2}, "state": "empty"}}
    removed = plain_groups.change({"remove_consumer": {"member_id": "a"}})
    plain = planning.make_from(("s", readers[0]), ("c", removed), Policy(), NOON)
    plans = tuple(any_document.plan_to_json(one) for one in (plan, planned(article.group(article.AFTER), random_id), plain))
    after = snapshot_from_json(article.group(article.AFTER))
    return Real(
        snapshots,
        readers,
        {
            "snapshot": (*snapshots, *readers),
            "change": (article.change(random_id), removed, article.change({"rolling_restart": {}}, {"then": "stable"}, random_id)),
            "policy": (policy_to_json(Policy()), {"format_version": "1.0", "windows": [{"from": "22:00Z", "to": "04:00Z"}]}),
            "plan": plans,
            "approval": (codec_of(Approval).write(Approval(plan.plan_id, True, "ann", "read", "2026-11-20T12:00:00Z")),),
            "journal": (codec_of(JournalEntry).write(JournalEntry("2026-11-20T12:00:00Z", "1", JournalEvent.DONE, "ann", "gone")),),
            "verdict": (VERDICT.write(verify(plan, after)),),
            "summary": tuple(SUMMARY.write(summary(one)) for one in (plan, plain)),
            "run": ({"format_version": "1.0", "run_id": "manual__x"},),
        },
    )


class Case:
    """One case: where its documents lie, and what is drawn for it."""

    def __init__(self, chance: random.Random, folder: Path) -> None:
        self.chance = chance
        self.folder = folder
        self.nasty = Nasty(chance)
        self.documents = 0

    def write(self, name: str, content: bytes) -> str:
        self.documents += 1
        (self.folder / name).write_bytes(content)
        return str(self.folder / name)

    def document(self, kind: str) -> object:
        """A document of a kind: broken, generated from its schema, of another kind, or unchanged."""
        found = real().documents
        others = [one for several in found.values() for one in several]
        match self.chance.randrange(12):
            case 0 | 1 if kind in _schemas():
                made = self.nasty.of(self.chance.choice(_schemas()[kind]))
            case 2:
                made = self.chance.choice(others)
            case 3:
                made = self.nasty.value()
            case 4 | 5:
                made = self.chance.choice(found[kind])
            case _:
                made = self.nasty.broken(self.chance.choice(found[kind]), others)
        return nasty.with_its_digest(made) if self.chance.random() < 0.7 else made

    def file(self, kind: str) -> str:
        return self.write(f"{kind}-{self.documents}.json", self.nasty.content(self.document(kind)))

    def odd(self) -> tuple[Document, Document]:
        """A real group and a Change that fits it more or less."""
        if self.chance.random() < 0.3:
            group = self.chance.choice(real().readers)
            requested = odd_changes.change_for_readers(self.chance, list(group["consumers"]), list(group["topics"]))
        else:
            group = self.chance.choice(real().snapshots)
            topics = {topic for task in group["tasks"].values() for topic, _ in task["partitions"]}
            requested = odd_changes.change_for(self.chance, list(group["clients"]), sorted(topics))
        if self.chance.random() < 0.3:
            group = cast("Document", self.nasty.broken(group, [requested]))
        return group, requested

    def group_and_change(self) -> tuple[str, str]:
        if self.chance.random() < 0.6:
            group, requested = self.odd()
            return self.write("snapshot.json", json.dumps(group).encode()), self.write(
                "change.json", json.dumps(requested).encode()
            )
        return self.file("snapshot"), self.file("change")


@functools.cache
def _schemas() -> dict[str, list[Document]]:
    from holdfast.rollout.kinds.schemas import CONTRACTS

    names = ("snapshot", "change", "policy", "plan", "approval", "journal", "verdict")
    return {name: [CONTRACTS[one].shape() for one in (name, f"consumer-{name}") if one in CONTRACTS] for name in names}
