"""Is whatever was changed, cut or made by hand refused by who has the key, and by name?"""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.harness.article import Document
from tests.harness.operators_hands import BACK, GONE, Operator, approved, taken, waits_for
from tests.harness.plans import article_plan

from holdfast.errors import HoldfastError, InvalidInput, StatePathTrouble, StepRefused
from holdfast.rollout.journal.journal import Approval, DecidedBy, JournalEntry, JournalEvent, Link
from holdfast.rollout.journal.seal import NO_KEYS, Sealed, SigningKeys, signed
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.plan import json as plan_json
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.workflows import apply as workflow
from holdfast.workflows import journals
from holdfast.workflows import plan as plans
from holdfast.workflows.apply import Applied, Confirmation, Hands

OLD_KEY, NEW_KEY = "an old key of the deployment: 32 or more", "a new key of the deployment: 32 or more"
KEYS, ROTATED, OTHERS = (SigningKeys.read(text, "the test") for text in (OLD_KEY, f"{NEW_KEY},{OLD_KEY}", NEW_KEY))


class Signer(Operator):
    """An operator with a key."""

    def __init__(self, folder: Path, plan: Plan, keys: SigningKeys = KEYS) -> None:
        super().__init__(folder, plan)
        self.keys = keys
        self.folder = folder / "lake" / "plans" / plan.plan_id

    def apply(self, fresh: Document, confirm: Sequence[str] = (), approval: Approval | None = None) -> Applied:
        answer = approval or plans.approval_of(self.lake, self.plan.plan_id, self.keys) or approved(self.plan)
        words = tuple(Confirmation(step, "ann", "done by hand") for step in confirm)
        return workflow.apply(self.plan, taken(fresh, self.now), answer, words, self.hands())

    def hands(self) -> Hands:
        return Hands(self.lake, self.files, self.dirs, lambda: self.now, self.keys)

    def entry(self, number: int) -> Path:
        return self.folder / "journal" / f"{number:05}.json"

    def standing(self) -> str:
        return plans.standing(self.lake, self.plan.plan_id, self.keys).says


@pytest.fixture
def signer(tmp_path: Path) -> Signer:
    """The plan is in progress: step 1 is done, the process ID of step 2 is written."""
    made = Signer(tmp_path, article_plan())
    assert waits_for(made.apply(GONE)) == "3"
    return made


def edit(file: Path, **fields: object) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | fields))


def without_signature(file: Path) -> None:
    document = json.loads(file.read_text())
    del document["signature"]
    file.write_text(json.dumps(document))


def forge(signer: Signer, keys: SigningKeys = NO_KEYS) -> None:
    """One more entry, which follows the last one as it should."""
    kept = journals.read(signer.lake, signer.plan.plan_id)
    entry = JournalEntry("2026-11-20T12:02:00Z", "3", JournalEvent.CONFIRMED, "ann", "it runs")
    document = codec_of(Link).write(Link(signer.plan.plan_id, kept.number + 1, kept.last, entry)) | {"lease": 1}
    signer.entry(kept.number + 1).write_text(dumps(signed(document, Sealed.ENTRY, keys)))


def old_journal(signer: Signer) -> None:
    line = {"at": "2026-11-20T12:02:00Z", "step": "3", "event": "done", "by": "ann", "detail": "it runs"}
    (signer.folder / "journal.jsonl").write_text(json.dumps(line) + "\n")


def swap(signer: Signer) -> None:
    first, second = signer.entry(1).read_bytes(), signer.entry(2).read_bytes()
    signer.entry(1).write_bytes(second)
    signer.entry(2).write_bytes(first)


def only_the_first(signer: Signer) -> None:
    for number in (2, 3):
        signer.entry(number).unlink()


CUT: dict[str, tuple[Callable[[Signer], object], str]] = {
    "the last entry cut": (lambda one: one.entry(3).unlink(), "entries at the end are missing"),
    "all but the first cut": (only_the_first, "entries at the end are missing"),
    "all entries cut": (lambda one: shutil.rmtree(one.folder / "journal"), "entries at the end are missing"),
    "one in between cut": (lambda one: one.entry(2).unlink(), "an entry is missing"),
    "the first cut": (lambda one: one.entry(1).unlink(), "an entry is missing"),
    "one changed in between": (lambda one: edit(one.entry(2), detail="nothing"), "does not follow the one before"),
    "two swapped": (swap, "belongs to another plan or position"),
    "another plan's": (lambda one: edit(one.entry(2), plan_id="0" * 16), "belongs to another plan"),
    "an old journal put in front": (old_journal, "does not follow the one before"),
    "another decision": (lambda one: edit(one.folder / "approval.json", reason="looks right"), "does not"),
}
FORGED: dict[str, tuple[Callable[[Signer], object], str]] = {
    "the last entry changed": (lambda one: edit(one.entry(3), by="bob"), "does not"),
    "an entry added": (forge, "not signed"),
    "an entry added by another key": (lambda one: forge(one, OTHERS), "signed with a key that is unknown here"),
    "the head deleted": (
        lambda one: (one.folder / "journal-head.json").unlink(),
        "its head, which has the number of entries, is missing",
    ),
    "the head deleted with the end": (
        lambda one: ((one.folder / "journal-head.json").unlink(), only_the_first(one)),
        "its head, which has the number of entries, is missing",
    ),
    "the head set back by hand": (
        lambda one: (edit(one.folder / "journal-head.json", entries=0), shutil.rmtree(one.folder / "journal")),
        "signature does not match",
    ),
    "the head set back without a signature": (
        lambda one: (
            edit(one.folder / "journal-head.json", entries=0, last=""),
            without_signature(one.folder / "journal-head.json"),
            shutil.rmtree(one.folder / "journal"),
        ),
        "not signed",
    ),
    "the decision deleted": (lambda one: (one.folder / "approval.json").unlink(), "does not follow the one before"),
    "the decision without its signature": (lambda one: without_signature(one.folder / "approval.json"), "not signed"),
}


@pytest.mark.parametrize(("attack", "said"), (CUT | FORGED).values(), ids=(CUT | FORGED).keys())
def test_what_was_changed_is_refused_by_name_and_nothing_is_done(
    signer: Signer, attack: Callable[[Signer], object], said: str
) -> None:
    assert signer.standing() == "signed by this deployment"
    attack(signer)
    (signer.state_dir / "kafka-streams-process-metadata").unlink()
    assert said.rsplit(maxsplit=1)[-1] in signer.standing()  # it is shown all the same

    with pytest.raises(StepRefused, match=said) as refusal:
        signer.apply(BACK)
    assert OLD_KEY not in str(refusal.value)
    assert signer.written() is None


@pytest.mark.parametrize("attack", [name for name in CUT if name != "another decision"])
def test_without_a_key_a_journal_that_is_not_whole_is_refused_too(tmp_path: Path, attack: str) -> None:
    operator = Signer(tmp_path, article_plan(), NO_KEYS)
    operator.apply(GONE)
    assert operator.standing() == "not signed"
    CUT[attack][0](operator)

    with pytest.raises(StepRefused, match=CUT[attack][1]):
        operator.apply(BACK)


def test_who_puts_everything_back_as_it_was_is_not_noticed(signer: Signer, tmp_path: Path) -> None:
    """Only something outside of the lake could remember: `docs/signatures.md` says so."""
    shutil.copytree(signer.folder, tmp_path / "before")
    assert waits_for(signer.apply(BACK)) is None
    shutil.rmtree(signer.folder)
    shutil.copytree(tmp_path / "before", signer.folder)

    assert waits_for(signer.apply(GONE)) == "3"


class TestPlansAndDecisions:
    def test_an_edited_expiry_with_an_id_that_fits_it(self, signer: Signer) -> None:
        later = replace(signer.plan, expires_at="2036-11-20T12:00:00Z")
        later = plan_json.with_id(later)
        document = json.loads((signer.folder / "plan.json").read_text())
        for signature in (document["signature"], None):
            forged = plan_json.plan_to_json(later) | ({"signature": signature} if signature else {})
            signer.lake.write(("plans", later.plan_id, "plan.json"), dumps(forged).encode())

            with pytest.raises(StepRefused, match="signature does not match" if signature else "not signed"):
                plans.load(signer.lake, later.plan_id, KEYS)
        assert plans.load(signer.lake, later.plan_id) == later  # it is shown, and `standing` says what it is worth

    @pytest.mark.thorough
    def test_a_plan_in_the_folder_of_another(self, signer: Signer) -> None:
        other = article_plan(Policy(rebalances_most=11))
        plans.keep(signer.lake, other, KEYS)
        shutil.copy(signer.folder.parent / other.plan_id / "plan.json", signer.folder / "plan.json")

        with pytest.raises(InvalidInput, match=f"it holds plan {other.plan_id}"):
            plans.load(signer.lake, signer.plan.plan_id, KEYS)

    def test_a_decision_by_the_policy_that_somebody_wrote(self, tmp_path: Path) -> None:
        signer = Signer(tmp_path, article_plan())
        plans.keep(signer.lake, signer.plan, KEYS)
        by_hand = Approval(signer.plan.plan_id, True, "the policy", "", "2026-11-20T12:00:10Z", None, DecidedBy.POLICY)
        (signer.folder / "approval.json").write_text(dumps(codec_of(Approval).write(by_hand)))

        with pytest.raises(StepRefused, match=r"The decision about plan .*: not signed"):
            plans.approval_of(signer.lake, signer.plan.plan_id, KEYS)
        with pytest.raises(StepRefused, match="its head, which has the number of entries, is missing"):
            signer.apply(GONE, approval=approved(signer.plan))
        assert signer.written() is None

    def test_a_decision_about_another_plan(self, signer: Signer) -> None:
        other = article_plan(Policy(rebalances_most=11))
        plans.keep(signer.lake, other, KEYS)
        shutil.copy(signer.folder / "approval.json", signer.folder.parent / other.plan_id / "approval.json")
        found = plans.approval_of(signer.lake, other.plan_id, KEYS)
        assert found is not None

        with pytest.raises(StepRefused, match=f"The approval is for plan {signer.plan.plan_id}"):
            workflow.apply(other, taken(GONE, signer.now), found, (), signer.hands())

    def test_of_two_decisions_at_once_the_first_counts(self, tmp_path: Path) -> None:
        signer = Signer(tmp_path, article_plan())
        plans.keep(signer.lake, signer.plan, KEYS)
        rejected = replace(approved(signer.plan, "bob"), approved=False)

        class Slow(type(signer.lake)):  # type: ignore[misc]
            def create(self, path: tuple[str, ...], content: bytes) -> bool:
                if path[-1] == "approval.json" and not self.exists(path):
                    plans.keep_approval(signer.lake, rejected, KEYS)
                return super().create(path, content)  # type: ignore[no-any-return]

        with pytest.raises(InvalidInput, match="was rejected by 'bob'"):
            plans.keep_approval(Slow(signer.lake.url), approved(signer.plan), KEYS)
        assert plans.approval_of(signer.lake, signer.plan.plan_id, KEYS) == rejected


class TestKeys:
    def test_a_new_key_goes_on_where_an_old_one_stopped(self, signer: Signer) -> None:
        signer.keys = ROTATED
        assert waits_for(signer.apply(BACK)) is None
        assert signer.standing() == "signed by this deployment"

    def test_without_the_old_key_it_does_not(self, signer: Signer) -> None:
        signer.keys = OTHERS
        with pytest.raises(StepRefused, match="signed with a key that is unknown here"):
            signer.apply(BACK)

    def test_who_has_no_key_adds_nothing_to_what_is_signed(self, signer: Signer) -> None:
        before = sorted(signer.folder.rglob("*"))
        signer.keys = NO_KEYS
        with pytest.raises(StepRefused, match="is signed, and no key was given"):
            signer.apply(BACK)
        assert sorted(signer.folder.rglob("*")) == before
        assert signer.standing() == "signed, and no key is here to check it"

    def test_what_was_begun_without_a_key_is_not_gone_on_with(self, tmp_path: Path) -> None:
        operator = Signer(tmp_path, article_plan(), NO_KEYS)
        operator.apply(GONE)
        operator.keys = KEYS

        with pytest.raises(StepRefused, match="not signed"):
            operator.apply(BACK)

    def test_journals_of_former_versions_are_read_and_gone_on_with(self, tmp_path: Path) -> None:
        operator = Signer(tmp_path, article_plan(), NO_KEYS)
        plans.keep(operator.lake, operator.plan)
        (operator.folder / "approval.json").write_text(dumps(codec_of(Approval).write(approved(operator.plan))))
        line = {"at": "2026-11-20T12:00:40Z", "step": "1", "event": "done", "by": "holdfast", "detail": "it is gone"}
        (operator.folder / "journal.jsonl").write_text(json.dumps(line) + "\n")

        assert waits_for(operator.apply(GONE)) == "3"
        assert operator.events() == [("1", "done"), ("2", "begun"), ("2", "done")]


LEASE = "../../leases/cluster=local/group=streams-wordcount/000000002.json"
NO_DOCUMENTS = [b"", b"{", b"[]", b"null", b'"x"', b'{"number": 1}', b"\xff", b"[" * 9_000]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", ["journal/00001.json", "journal-head.json", "lease/00001.json", LEASE, "approval.json", "plan.json"]
)
def test_documents_that_are_none_are_refused_by_name(signer: Signer, name: str) -> None:
    def go_on() -> None:
        plans.load(signer.lake, signer.plan.plan_id, KEYS)
        signer.apply(BACK)

    for content in NO_DOCUMENTS:
        (signer.folder / name).parent.mkdir(exist_ok=True)
        (signer.folder / name).write_bytes(content)
        with pytest.raises(HoldfastError) as refusal:
            go_on()
        assert not isinstance(refusal.value, StatePathTrouble)
        assert len(str(refusal.value)) < 2_000
