"""Do the published schemas and the strict readers and writers say the same? What is written is valid; what
is broken is refused by both: a field less, a field more, another type, a value that an enumeration has not."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from jsonschema import Draft202012Validator
from tests.harness.article import AFTER, LAST, A, C, change, group
from tests.harness.examples import examples, some_of
from tests.harness.plans import REPLACE_FIRST, article_plan, measured, planned, read
from tests.property.test_codec import snapshots

from holdfast.errors import HoldfastError
from holdfast.rollout.contract.rebalances import Detail
from holdfast.rollout.execution.drift import STALENESS
from holdfast.rollout.journal.journal import Approval, Journal, JournalEntry, JournalEvent
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.kinds.schemas import CONTRACTS, schema_of
from holdfast.rollout.policy.json import policy_from_json, policy_to_json
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.change.json import change_from_json, change_to_json
from holdfast.rollout.streams.execution.staleness import is_stale
from holdfast.rollout.streams.execution.verdict import VERDICT
from holdfast.rollout.streams.execution.verify import verify
from holdfast.rollout.streams.forecast.assignment_json import assignment_from_json, assignment_to_json
from holdfast.rollout.streams.forecast.decision import decide
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.json import forecast_to_json
from holdfast.rollout.streams.plan import json as plan_json
from holdfast.rollout.streams.snapshot.json import snapshot_from_json, snapshot_to_json
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.teams.teams import Teams

Document = dict[str, Any]
VALID = {name: Draft202012Validator(schema_of(name)) for name in CONTRACTS}

SNAPSHOT = snapshot_to_json(read(measured(group(AFTER))))
EVENTS: list[object] = [
    REPLACE_FIRST,
    {"then": "stable"},
    {"add_client": {"process_id": None, "threads": 2}},
    {"restart_client": {"process_id": A, "keeps_process_id": False, "new_process_id": None, "keeps_state": True}},
    {"rolling_restart": {"process_ids": None, "at_once": 1, "wait": "stable", "keeps_process_id": True, "keeps_state": True}},
    {"set_config": {"max.warmup.replicas": 3}},
    {"set_release": {"kafka_release": "3.9.1"}},
    {"remove_client": {"process_id": A}},
]
CHANGE = change_to_json(change_from_json(change(*EVENTS)))
PLAN = article_plan()
POLICY = policy_to_json(
    policy_from_json(
        {"format_version": "1.0", "windows": [{"from": "22:00Z", "to": "04:00Z", "days": ["mon"]}], "actions": ["stop_client"]}
    )
)
APPROVAL = codec_of(Approval).write(Approval(PLAN.plan_id, True, "ann", "read it", "2026-11-20T12:00:00Z"))
TEAMS: Document = {
    "format_version": "1.0",
    "teams": [
        {
            "name": "payments",
            "groups": [{"cluster": "prod", "group": "payments-*"}],
            "members": {"users": ["ann"], "roles": ["Payments"], "airflow_teams": []},
            "approvers": ["17"],
            "four_eyes": True,
            "review_notifiers": [{"notifier": "a.B", "with": {"to": "x"}}],
            "notifiers": None,
        }
    ],
    "all_groups": {"users": [], "roles": ["Admin"], "airflow_teams": []},
}
ASSIGNMENT = assignment_to_json(decide(read(group(AFTER))))


def plan_from_json(document: object) -> object:
    """A plan, but for its ID: every change of a plan breaks that, and here it is the rest that is asked for."""
    try:
        return plan_json.plan_from_json(document)
    except HoldfastError as refusal:
        if "is not the digest of this plan" in str(refusal):
            return None
        raise


Reader = Callable[[object], object]
READ: dict[str, tuple[Document, Reader]] = {
    "snapshot": (SNAPSHOT, snapshot_from_json),
    "change": (CHANGE, change_from_json),
    "assignment": (ASSIGNMENT, assignment_from_json),
    "policy": (POLICY, policy_from_json),
    "plan": (plan_json.plan_to_json(PLAN), plan_from_json),
    "approval": (APPROVAL, codec_of(Approval).read),
    "teams": (TEAMS, codec_of(Teams).read),
}


def accepted(read_it: Reader, document: object) -> bool:
    try:
        read_it(document)
    except HoldfastError:
        return False
    return True


Path = tuple[str | int, ...]
MOST_PLACES = 50
"""Of a document that a run tries: a plan has 370, and reading it takes 30 ms."""


def places(value: object, path: Path = ()) -> Iterator[Path]:
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def kinds(document: object) -> list[Path]:
    """One place of each kind: elements of a list are of one kind, and so are values under keys with digits (tasks, clients, …)."""
    found = {
        tuple("each" if isinstance(step, int) or any(map(str.isdigit, step)) else step for step in path): path
        for path in places(document)
        if path
    }
    return list(found.values())


def at(document: object, path: Path) -> Any:
    for key in path:
        document = document[key]  # type: ignore[index]
    return document


def put(document: Document, path: Path, value: object) -> Document:
    changed = copy.deepcopy(document)
    at(changed, path[:-1])[path[-1]] = value
    return changed


def without(document: Document, path: Path) -> Document:
    changed = copy.deepcopy(document)
    del at(changed, path[:-1])[path[-1]]
    return changed


@pytest.mark.thorough
@pytest.mark.parametrize("name", CONTRACTS)
def test_each_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(schema_of(name))


@pytest.mark.parametrize("name", READ)
def test_what_is_written_is_valid_and_read(name: str) -> None:
    document, read_it = READ[name]

    assert list(VALID[name].iter_errors(document)) == []
    assert accepted(read_it, document)


@pytest.mark.thorough
@pytest.mark.parametrize("release", ["2.7.2", "3.9.1"])
def test_what_is_only_written_is_valid(release: str) -> None:
    snapshot = read(measured(group(AFTER, release=release)))
    fresh = {"replace_client": {"process_id": C, "by": {"process_id": None, "threads": 2}, "state": "empty"}}
    predicted = forecast(snapshot, change_from_json(change(fresh)))
    journal = Journal(PLAN.plan_id, (JournalEntry("2026-11-20T12:00:00Z", "1", JournalEvent.DONE, "ann", "it is gone"),))
    written = [
        *(("forecast", forecast_to_json(predicted, detail)) for detail in Detail),
        ("journal", codec_of(Journal).write(journal)),
        ("verdict", VERDICT.write(verify(PLAN, snapshot))),
        ("staleness", STALENESS.write(is_stale(PLAN, snapshot))),
        ("plan", plan_json.plan_to_json(planned(group(AFTER), fresh))),
        ("policy", policy_to_json(Policy())),
        ("assignment", {"format_version": "1.0", "error": "no"}),
        ("assignment", {"format_version": "1.0", "error_code": 1}),
    ]

    assert [(name, error.message) for name, document in written for error in VALID[name].iter_errors(document)] == []


@pytest.mark.thorough
@given(snapshots())
@settings(max_examples=examples(50), suppress_health_check=[HealthCheck.too_slow])
def test_every_snapshot_is_valid(snapshot: Snapshot) -> None:
    assert list(VALID["snapshot"].iter_errors(snapshot_to_json(snapshot))) == []


WRONG: tuple[object, ...] = (None, True, -7, 0.5, "", "no such thing", [], ["x"], {}, {"x": 1}, 2**70)


@pytest.mark.parametrize("name", READ)
@given(data=some.data())
@settings(max_examples=examples(80), suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_what_is_not_valid_is_refused(name: str, data: some.DataObject) -> None:
    """Any value in any place, a field less, a field more."""
    document, read_it = READ[name]
    path = data.draw(some.sampled_from([path for path in places(document) if path]))
    inside = at(document, path)
    kind = data.draw(some.sampled_from(("value", "less", "more")))
    if kind == "less":
        broken = without(document, path)
    elif kind == "more" and isinstance(inside, dict):
        broken = put(document, (*path, "no such field"), data.draw(some.sampled_from(WRONG)))
    else:
        broken = put(document, path, data.draw(some.sampled_from(WRONG)))

    if not VALID[name].is_valid(broken):
        assert not accepted(read_it, broken), path


@pytest.mark.parametrize("name", READ)
def test_a_field_that_the_reader_needs_the_schema_requires(name: str) -> None:
    document, read_it = READ[name]
    fields = some_of([path for path in kinds(document) if isinstance(path[-1], str)], MOST_PLACES)
    valid = [path for path in fields if VALID[name].is_valid(without(document, path))]
    differing = [path for path in valid if not accepted(read_it, without(document, path)) and path[0] != "clients"]

    assert differing == []


@pytest.mark.parametrize("name", READ)
def test_a_schema_requires_something(name: str) -> None:
    assert not VALID[name].is_valid({})


def test_a_snapshot_may_hold_more_and_the_others_may_not() -> None:
    for name, (document, read_it) in READ.items():
        more = document | {"no such field": 1}
        opened = name in ("snapshot", "assignment")

        assert (VALID[name].is_valid(more), accepted(read_it, more)) == (opened, opened), name


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("plan", ("verdict",), "fine"),
        ("plan", ("rules", 0, "status"), "maybe"),
        ("plan", ("steps", 0, "action"), "start_clients"),
        ("plan", ("steps", 0, "who"), "nobody"),
        ("plan", ("steps", 0, "inputs"), {"limit_s": 0}),
        ("plan", ("candidates", 0, "effort"), "some"),
        ("plan", ("format_version",), "2.0"),
        ("change", ("events", 1, "then"), "later"),
        ("change", ("events", 0, "replace_client", "state"), "half"),
        ("change", ("events", 0, "replace_client", "by", "process_id"), LAST[:-1] + "x"),
        ("policy", ("review",), "sometimes"),
        ("policy", ("blocking",), ["no such rule"]),
        ("policy", ("windows", 0, "days"), ["monday"]),
        ("policy", ("windows", 0, "from"), "24:00Z"),
        ("snapshot", ("protocol",), "consumer"),
        ("snapshot", ("tasks",), {"1": {"partitions": [], "changelogs": []}}),
        ("assignment", ("consumers", next(iter(ASSIGNMENT["consumers"])), "next_rebalance"), "soon"),  # type: ignore[call-overload]
    ],
)
def test_a_value_that_there_is_not_is_refused_by_both(name: str, path: Path, value: object) -> None:
    document, read_it = READ[name]
    broken = put(document, path, value)

    assert not VALID[name].is_valid(broken)
    assert not accepted(read_it, broken)


@pytest.mark.parametrize("name", READ)
def test_nothing_is_null_that_may_not_be(name: str) -> None:
    """Every kind of place in the document, one by one: what random places above reach only now and then."""
    document, read_it = READ[name]
    for path in some_of(kinds(document), MOST_PLACES):
        broken = put(document, path, None)
        assert VALID[name].is_valid(broken) or not accepted(read_it, broken), path
