"""What going back does for the steps of each kind of group; and that it leads to the clients and files from before."""

import copy
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.harness.article import LAST, A, B, C, Document, change
from tests.harness.examples import examples
from tests.harness.plans import article_plan, read
from tests.harness.stepping import AT, all_undos, before, directory, done, own_ids, rolled_back
from tests.property.test_recommended import changes
from tests.unit.rollout.broker_streams import plans as broker_plans
from tests.unit.rollout.broker_streams.plans import STABLE, restart
from tests.unit.rollout.kinds.test_acts import NOON, consumers, streams

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.execution import back_course, undo_words
from holdfast.rollout.execution.back_course import Open, Strayed, Unsettled
from holdfast.rollout.execution.undo import Manual, Nature, PutBack, PutConfigBack, WhyLeft
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.journal.acted import Acted, ClientProcess, Does, ProcessState
from holdfast.rollout.journal.back import ClientSeen, ConfigHeld, HeldProcessId
from holdfast.rollout.journal.journal import Journal, JournalEntry, JournalEvent
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.workflows import plan as workflow

NEW = {"member_id": "new", "host": "app-new"}
Z = {"process_id": "z", "threads": 2, "host": "h9"}
OLD, OTHER = ProcessId.parse(A), ProcessId.parse(B)


def natures(plan: AnyPlan) -> list[Nature]:
    kind = kind_of(plan)
    return [kind.rollback(plan, step).nature for step in plan.steps if not kind.waits(step)]


SCALE_IN = (
    {"remove_client": {"process_id": A, "leaves": False}},
    {"then": "stable"},
    {"remove_client": {"process_id": B, "leaves": False}},
)
PLANS = {
    "replace": lambda: streams(
        {"replace_client": {"process_id": C, "by": {"process_id": LAST, "threads": 2, "host": "app-new"}, "state": "empty"}}
    ),
    "same ID": article_plan,
    "scale in": lambda: streams(*SCALE_IN),
    "scale out": lambda: streams({"add_client": {"process_id": LAST, "threads": 2, "host": "app-new"}}),
    "random ID": lambda: streams({"add_client": {"process_id": None, "threads": 2, "host": "app-new"}}),
    "restart": lambda: streams({"restart_client": {"process_id": A}}),
    "consumers": lambda: consumers(
        {"replace_consumer": {"member_id": "a", "by": NEW}}, {"then": "stable"}, {"remove_consumer": {"member_id": "b"}}
    ),
    "broker": lambda: broker_plans.planned(restart("a"), STABLE, {"remove_client": {"process_id": "b"}}, {"add_client": Z}),
}


@pytest.mark.parametrize("name", PLANS)
def test_any_number_of_steps_is_led_back(name: str) -> None:
    plan = PLANS[name]()
    for steps in range(len(plan.steps) + 1):
        model = before(plan)
        first = copy.deepcopy(model)
        journal = done(plan, steps, model)
        assert [one.step.id for one in all_undos(plan, journal)] == [one.id for one in reversed(plan.steps[:steps])]
        journal = rolled_back(plan, journal, model)

        assert model.running == first.running
        assert all(held is None for held in model.files.values())


@pytest.mark.thorough
@given(changes(), st.integers(0, 40), st.sampled_from((None, OLD, "own")))
@settings(max_examples=examples(8), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_plan_is_led_back(case: tuple[Document, Document], steps: int, held: ProcessId | str | None) -> None:
    snapshot, event = case
    plan = workflow.make(read(snapshot), change_from_json(change(event)), Policy(), NOON)
    model, kind = before(plan), kind_of(plan)
    for step in plan.steps:
        file = kind.rollback(plan, step).file
        if file is not None:
            model.files[directory(step)] = file.process_id if held == "own" else held
    first = copy.deepcopy(model)
    journal = done(plan, min(steps, len(plan.steps)), model)
    assert not own_ids(plan, journal) or held == "own"
    rolled_back(plan, journal, model)

    assert model == first


@pytest.mark.parametrize(
    ("event", "nature"),
    [
        ({"restart_client": {"process_id": A, "keeps_state": False}}, Nature.LOST),
        ({"rolling_restart": {"set_config": {"max.warmup.replicas": 3}, "late": True}}, Nature.PERSON),
        ({"add_partitions": {"topic": "input", "partitions": 8}}, Nature.LOST),
    ],
)
def test_what_is_no_process_of_a_streams_group(event: Document, nature: Nature) -> None:
    plan = streams(event)
    assert nature in natures(plan)
    (undo,) = [one for one in all_undos(plan, done(plan, len(plan.steps), before(plan))) if one.left is not WhyLeft.WAIT]

    assert (undo.left, undo.manual) == ((WhyLeft.LOST, None) if nature is Nature.LOST else (None, Manual.NOT_A_PROCESS))
    assert undo.step.undo in undo_words.describe(undo)


@pytest.mark.parametrize(
    ("event", "nature"),
    [
        ({"restart_consumer": {"member_id": "a"}}, Nature.AS_BEFORE),
        ({"restart_consumer": {"member_id": "a", "assignors": ["range", "cooperative-sticky"]}}, Nature.PERSON),
        ({"add_partitions": {"topic": "orders", "partitions": 6}}, Nature.LOST),
    ],
)
def test_what_is_no_process_of_a_consumer_group(event: Document, nature: Nature) -> None:
    assert natures(consumers(event)) == [nature]


@pytest.mark.parametrize(
    ("event", "nature"),
    [
        (restart("a", within_interval=True), Nature.AS_BEFORE),
        (restart("a", keeps_state=False), Nature.LOST),
        (restart("a", keeps_process_id=False, new_process_id="z"), Nature.PERSON),
        ({"replace_client": {"process_id": "b", "by": {"process_id": "z", "threads": 2}}}, Nature.PROCESSES),
        ({"set_config": {"streams.num.standby.replicas": 1}}, Nature.CONFIGS),
    ],
)
def test_what_is_no_process_of_a_group_whose_broker_assigns(event: Document, nature: Nature) -> None:
    assert nature in natures(broker_plans.planned(event))


def test_configs_are_put_back_by_the_journal_or_by_a_person() -> None:
    plan = broker_plans.planned({"set_config": {"streams.num.standby.replicas": 1}})
    step = plan.steps[0].id
    held = (ConfigHeld("streams.num.standby.replicas", None),)

    def journal(**more: object) -> Journal:
        return Journal(plan.plan_id, (entry(step, JournalEvent.BEGUN, **more),))

    (known,) = all_undos(plan, journal(configs=held))
    (unknown,) = all_undos(plan, journal())
    (other,) = all_undos(plan, journal(configs=(ConfigHeld("streams.session.timeout.ms", "1"),)))

    assert known.configs == (PutConfigBack("streams.num.standby.replicas", "1", None),)
    assert undo_words.describe(known) == "Set streams.num.standby.replicas back from '1' to the brokers' default."
    assert unknown.manual is other.manual is Manual.CONFIGS_UNKNOWN
    assert "did not set these configs" in undo_words.describe(unknown)


def entry(step: str, event: JournalEvent, does: Does | None = None, client: str = A, **more: object) -> JournalEntry:
    acted = None if does is None else Acted(does, client, ClientProcess(ProcessState.RUNNING, "one"))
    return replace(JournalEntry(AT, step, event, "holdfast", "", acted=acted), **more)  # type: ignore[arg-type]


def test_what_people_did_is_theirs() -> None:
    plan = PLANS["scale in"]()
    for entries in (
        (entry("1", JournalEvent.CONFIRMED), entry("1", JournalEvent.DONE)),
        (entry("1", JournalEvent.ACTED, Does.STOP), entry("1", JournalEvent.DONE)),
    ):
        (undo,) = all_undos(plan, Journal("p", entries))

        assert (undo.acts, undo.manual, undo.returns) == ((), Manual.DONE_BY_PERSON, (A,))
        assert "Holdfast did not do this step itself" in undo_words.describe(undo)
    assert all_undos(plan, Journal("p", (entry("1", JournalEvent.HALTED),))) == ()


def test_a_restart_that_was_cut_off_is_brought_to_its_end() -> None:
    (undo,) = all_undos(PLANS["restart"](), Journal("p", (entry("1", JournalEvent.BEGUN, Does.RESTART),)))

    assert [(one.does, one.client) for one in undo.acts] == [(Does.START, A)]
    assert undo_words.describe(undo) == f"Start {A} on app-{A[:4]}."


class TestFiles:
    def undo(self, *entries: JournalEntry) -> object:
        found = all_undos(article_plan(), Journal("p", entries))
        return found[0] if found else None

    def begun(self, **more: object) -> JournalEntry:
        return entry("2", JournalEvent.BEGUN, None, directory="/state", host="here", **more)

    def test_without_what_was_there_a_person_puts_it_back(self) -> None:
        undo = self.undo(self.begun(), entry("2", JournalEvent.DONE))

        assert getattr(undo, "manual", None) is Manual.FILE_UNKNOWN
        assert "the journal does not have what the directory held" in undo_words.describe(undo)  # type: ignore[arg-type]

    def test_what_was_surely_not_written_is_not_removed(self) -> None:
        assert self.undo(self.begun(), entry("2", JournalEvent.STOPPED)) is None

    def test_a_person_wrote_it(self) -> None:
        assert getattr(self.undo(entry("2", JournalEvent.CONFIRMED)), "manual", None) is Manual.DONE_BY_PERSON

    def test_words(self) -> None:
        plan = article_plan()
        (undo,) = all_undos(plan, Journal("p", (self.begun(before=HeldProcessId(None)),)))
        assert undo.file == PutBack("/state", "here", ProcessId.parse(C), None)
        assert "Remove kafka-streams-process-metadata from /state" in undo_words.describe(undo)
        (undo,) = all_undos(plan, Journal("p", (self.begun(before=HeldProcessId(OTHER)),)))
        assert f"Write process ID {B} into /state again" in undo_words.describe(undo)


class TestCourse:
    def seen(self, **members: str) -> tuple[ClientSeen, ...]:
        return tuple(ClientSeen(name, (member,)) for name, member in members.items())

    def journal(self, plan: AnyPlan, steps: int, then: tuple[ClientSeen, ...] | None, *more: JournalEntry) -> Journal:
        made = done(plan, steps, before(plan))
        for one in (entry("1", JournalEvent.GOING_BACK, None, clients=then), *more):
            made = made.with_entry(one)
        return made

    def test_who_joins_and_who_leaves(self) -> None:
        plan = PLANS["consumers"]()
        then = self.seen(new="new-1", x="x", y="y", z="z")
        journal = self.journal(plan, 3, then)
        undos = all_undos(plan, journal)

        assert back_course.strayed(undos, journal, ("a", "b"), (*then, *self.seen(a2="1", b2="2"))) is None, "both return, renamed"
        found = back_course.strayed(undos, journal, ("a", "b"), (*then, *self.seen(a2="1", b2="2", c="3", d="4")))
        assert found == Strayed(("a2", "b2", "c", "d"), ())
        assert "4 clients joined since going back began (a2, b2, c, d)." in undo_words.stray(found)
        found = back_course.strayed(undos, journal, ("a", "b"), ())
        assert found == Strayed((), ("new", "x", "y", "z"))
        assert "4 clients left" in undo_words.stray(found)
        assert back_course.strayed(undos, self.journal(plan, 3, None), ("a", "b"), ()) is None, "who was there is unknown"

    def test_clients_without_a_lasting_name_are_counted(self) -> None:
        plan = PLANS["consumers"]()
        then = self.seen(new="new-1")
        more = (entry("1", JournalEvent.UNDOING, Does.STOP, "app-new"), entry("1", JournalEvent.UNDOING, Does.START, "a"))
        journal = self.journal(plan, 1, then, *more)
        undone = all_undos(plan, journal)

        assert back_course.unsettled(undone, journal, then) == Unsettled(Open.STILL_THERE, None)
        assert back_course.unsettled(undone, journal, ()) == Unsettled(Open.MISSING, None)
        assert back_course.unsettled(undone, journal, self.seen(a2="1")) is None
        assert back_course.unsettled(undone, self.journal(plan, 1, None, *more), ()) is None

    def test_clients_with_lasting_names(self) -> None:
        plan = PLANS["scale in"]()
        journal = self.journal(plan, 1, self.seen(**{A: "old"}), entry("1", JournalEvent.UNDOING, Does.START, A))
        undone = all_undos(plan, journal)

        for now, expected in (((), Open.MISSING), (self.seen(**{A: "old"}), Open.OLD_MEMBERS)):
            found = back_course.unsettled(undone, journal, now)
            assert found == Unsettled(expected, A)
            assert A in undo_words.open_(found)
        assert back_course.unsettled(undone, journal, self.seen(**{A: "new"})) is None
        plan = PLANS["scale out"]()
        journal = self.journal(plan, len(plan.steps), self.seen(**{LAST: "1"}))
        found = back_course.unsettled(all_undos(plan, journal), journal, self.seen(**{LAST: "1"}))
        assert found == Unsettled(Open.STILL_THERE, LAST)
        assert undo_words.open_(found) == f"The group still lists {LAST}."

    def test_words_for_clients_without_names(self) -> None:
        assert undo_words.open_(Unsettled(Open.STILL_THERE, None)) == "The group still lists a client that was stopped."
        assert undo_words.open_(Unsettled(Open.MISSING, None)) == "A client that was started again is not in the group yet."

    def test_the_end(self) -> None:
        then = self.seen(a="1", c="3")

        found = back_course.compared(("a", "b"), then, lasting=True)
        assert (found.in_place, found.missing, found.extra) == (False, ("b",), ("c",))
        assert undo_words.ended(found).endswith("missing: b; not there before: c.")
        assert back_course.compared(("a", "b"), then, lasting=False).in_place, "a consumer that was started again"
        assert not back_course.compared(("a",), then, lasting=False).in_place
        assert back_course.compared(("a", "c"), then, lasting=True).in_place
