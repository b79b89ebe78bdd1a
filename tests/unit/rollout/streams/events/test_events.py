"""Events beyond joining and leaving: clients that end without leaving, threads, partitions, a stop of every member; and groups that
never settle."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.harness.article import AFTER, BEFORE, LAST, A, B, C, Document, change, group

from holdfast.errors import CannotPredict, HoldfastError, InvalidInput
from holdfast.kafka.streams.group import Assignment, LeaderFailure
from holdfast.rollout.facts.notes import NoteKind
from holdfast.rollout.streams.change import named_json
from holdfast.rollout.streams.change.change import CHANGE
from holdfast.rollout.streams.change.json import change_from_json, change_to_json
from holdfast.rollout.streams.events import table
from holdfast.rollout.streams.forecast.forecast import forecast
from holdfast.rollout.streams.forecast.outcomes import Forecast, Outcome
from holdfast.rollout.streams.snapshot.json import snapshot_from_json

PAGE = Path(__file__).resolve().parents[5] / "docs" / "changes.md"


def forecast_of(document: Document, *events: object, **others: object) -> Forecast:
    return forecast(snapshot_from_json(document), change_from_json(change(*events, **others)))


def outcome(document: Document, *events: object, **others: object) -> Outcome:
    (found,) = forecast_of(document, *events, **others).outcomes
    return found


def members_of(found: Outcome, process_id: str) -> list[str]:
    client = next(one for one in found.clients if str(one.process_id) == process_id)
    return [re.sub(r".*(StreamThread-\d+).*", r"\1", one.member_id) for one in client.consumers]


class TestAClientThatJustEnds:
    @pytest.mark.parametrize(("release", "seconds"), [("2.8.2", 10), ("3.0.2", 45)])
    def test_the_group_notices_after_the_time_out_of_its_release(self, release: str, seconds: int) -> None:
        leaving = outcome(group(AFTER, release), {"remove_client": {"process_id": A}})
        ending = outcome(group(AFTER, release), {"remove_client": {"process_id": A, "leaves": False}})

        assert [one.at_seconds + seconds for one in leaving.rounds] == [one.at_seconds for one in ending.rounds]
        assert [one.decision for one in leaving.rounds] == [one.decision for one in ending.rounds]
        assert leaving.summary.stopped_task_seconds == 0
        assert ending.summary.stopped_task_seconds == 4 * seconds, "A runs four tasks"

    def test_the_setting_wins(self) -> None:
        ending = {"remove_client": {"process_id": A, "leaves": False}}

        assert outcome(group(AFTER, config={"session.timeout.ms": 6500}), ending).rounds[0].at_seconds == 6.5
        assert outcome(group(AFTER), {"set_config": {"session.timeout.ms": "8000"}}, ending).rounds[0].at_seconds == 8

    def test_a_setting_that_is_no_time_is_refused(self) -> None:
        with pytest.raises(InvalidInput, match=r"session\.timeout\.ms is 'soon'"):
            outcome(group(AFTER, config={"session.timeout.ms": "soon"}), {"remove_client": {"process_id": A, "leaves": False}})
        with pytest.raises(InvalidInput, match=r"events\[0\]\.restart_client\.process_id: session\.timeout\.ms is 0"):
            outcome(group(AFTER, config={"session.timeout.ms": 0}), {"restart_client": {"process_id": A}})

    def test_two_that_end_together_are_noticed_together(self) -> None:
        events = [{"remove_client": {"process_id": one, "leaves": False}} for one in (A, C)]

        found = outcome(group(AFTER), *events)

        assert found.rounds[0].at_seconds == 10
        assert found.summary.stopped_task_seconds == 80


class TestThreads:
    def test_a_new_thread_takes_the_lowest_free_number_and_the_others_keep_what_they_do(self) -> None:
        found = outcome(group(AFTER, "3.9.1"), {"set_threads": {"process_id": A, "threads": 3}})

        assert members_of(found, A) == ["StreamThread-1", "StreamThread-2", "StreamThread-3"]
        assert found.stable
        assert found.summary.restore_records == 0

    def test_the_oldest_thread_goes_and_the_client_still_has_its_copies(self) -> None:
        found = outcome(group(AFTER, "3.9.1"), {"set_threads": {"process_id": A, "threads": 1}}, {"then": "rebalance"})

        assert members_of(found, A) == ["StreamThread-2"]
        assert found.rounds[0].restoring == (), "what the thread ran is still on the client's disk"

    def test_threads_that_are_named_go(self) -> None:
        one = next(iter(group(AFTER)["clients"][A]["consumers"]))

        found = outcome(group(AFTER, "3.9.1"), {"set_threads": {"process_id": A, "threads": 1, "member_ids": [one]}})

        assert members_of(found, A) == ["StreamThread-2"]

    @pytest.mark.parametrize(
        ("release", "event", "said"),
        [
            ("2.7.2", {"process_id": A, "threads": 3}, "KIP-663"),
            ("3.9.1", {"process_id": A, "threads": 2}, "2 threads already"),
            ("3.9.1", {"process_id": A, "threads": 1, "member_ids": ["nobody"]}, "those that go; found: nobody"),
            ("3.9.1", {"process_id": A, "threads": 4, "member_ids": ["m"]}, "2 member IDs are needed"),
            ("3.9.1", {"process_id": LAST, "threads": 4}, "not in the group"),
        ],
    )
    def test_what_cannot_be_is_refused(self, release: str, event: object, said: str) -> None:
        with pytest.raises(InvalidInput, match=said):
            outcome(group(AFTER, release), {"set_threads": event})


class TestPartitions:
    def test_stateless_tasks_come(self) -> None:
        found = outcome(group(AFTER), {"add_partitions": {"topic": "input", "partitions": 8}})

        last = found.rounds[-1].decision
        assert isinstance(last, Assignment)
        assert sorted(str(task) for one in last.clients for task in one.active if task.subtopology == 0)[-2:] == ["0_6", "0_7"]
        assert found.stable
        assert found.summary.stateful_tasks == 6

    def test_a_changelog_that_is_too_narrow_ends_the_application(self) -> None:
        found = outcome(group(AFTER), {"add_partitions": {"topic": "repartition", "partitions": 7}})

        assert not found.stable
        assert [one.decision for one in found.rounds] == [
            LeaderFailure(
                "StreamsException: the changelog changelog has 6 partitions and 7 are needed; Kafka Streams does not extend it."
                " Extend it by hand first, and set `changelogs_grown`."
            )
        ]

    def test_with_changelogs_grown_new_tasks_have_nothing_to_restore(self) -> None:
        event = {"topic": "repartition", "partitions": 7, "changelogs_grown": True}

        found = outcome(group(AFTER), {"add_partitions": event})

        assert found.stable
        assert any("1_6" in [str(task) for task in dict(one.task_offset_sums)] for c in found.clients for one in c.consumers)

    def test_a_source_topic_that_is_its_own_changelog_has_grown_with_it(self) -> None:
        document = group(AFTER)
        for task in document["tasks"].values():
            for log in task["changelogs"]:
                log[0] = "repartition"

        assert outcome(document, {"add_partitions": {"topic": "repartition", "partitions": 7}}).stable

    def test_what_a_snapshot_does_not_show_is_named(self) -> None:
        document = json.loads(json.dumps(group(AFTER)).replace('"repartition"', '"counts-repartition"'))
        for number in range(6):
            document["tasks"][f"0_{number}"]["partitions"].append(["other", number])

        found = forecast_of(document, {"add_partitions": {"topic": "input", "partitions": 8}})

        said = " ".join(one.reason for one in found.unknown)
        assert "A repartition topic that is written from input" in said
        assert "input is read together with other" in said

    @pytest.mark.parametrize(
        ("topic", "count", "said"),
        [("output", 8, "no task reads"), ("input", 6, "a topic can only grow"), ("input", 1, "only grow")],
    )
    def test_what_cannot_be_is_refused(self, topic: str, count: int, said: str) -> None:
        with pytest.raises(InvalidInput, match=said):
            outcome(group(AFTER), {"add_partitions": {"topic": topic, "partitions": count}})

    def test_where_racks_decide_nobody_knows_where_they_will_stand(self) -> None:
        racks = {"rack.aware.assignment.strategy": "min_traffic"}
        with pytest.raises(CannotPredict, match="placed by rack"):
            outcome(group(AFTER, "3.9.1", racks), {"add_partitions": {"topic": "input", "partitions": 8}})


class TestAStopOfEverybody:
    def test_nothing_runs_meanwhile_and_everybody_is_back_where_it_was(self) -> None:
        found = outcome(group(AFTER, "4.3.1"), {"stop_application": {"minutes": 30}})

        assert [one.at_seconds for one in found.rounds] == [1800]
        assert (found.summary.active_moved, found.summary.restore_records) == (0, 0)
        assert found.summary.stopped_task_seconds == 12 * 1800

    def test_source_topics_as_changelogs_change_nothing_for_as_long_as_offsets_are_kept(self) -> None:
        document = group(AFTER, "4.3.1")
        for task in document["tasks"].values():
            for log in task["changelogs"]:
                log[0] = "repartition"

        found = forecast_of(document, {"stop_application": {"minutes": 10_079}})

        assert found.outcomes[0].summary.active_moved == 0
        assert any("no task migrates" in one.reason for one in found.unknown)
        with pytest.raises(CannotPredict, match=r"offsets\.retention\.minutes"):
            forecast_of(document, {"stop_application": {"minutes": 10_080}})


def renumbered(document: Document) -> Document:
    """The tasks with another subtopology in between: what was 1 is 2."""
    tasks = {name: task for name, task in document["tasks"].items() if name.startswith("0")}
    tasks |= {f"1_{number}": {"partitions": [["new", number]], "changelogs": []} for number in range(6)}
    return tasks | {name.replace("1_", "2_"): task for name, task in document["tasks"].items() if name.startswith("1")}


class TestAnotherTopology:
    def test_tasks_that_keep_their_stores_keep_their_state(self) -> None:
        document = group(AFTER, "4.3.1")
        tasks = document["tasks"] | {f"2_{number}": {"partitions": [["new", number]], "changelogs": []} for number in range(3)}

        found = outcome(document, {"set_topology": {"tasks": tasks}})

        assert (found.stable, found.summary.restore_records, found.summary.active_moved) == (True, 0, 0)
        last = found.rounds[-1].decision
        assert isinstance(last, Assignment)
        assert sum(len(client.active) for client in last.clients) == 15

    def test_stores_that_lie_in_the_directory_of_another_task_are_found(self) -> None:
        document = group(AFTER, "4.3.1")
        swapped = document["tasks"] | {
            "1_0": {"partitions": [["repartition", 0]], "changelogs": [["changelog", 1, 2]]},
            "1_1": {"partitions": [["repartition", 1]], "changelogs": [["changelog", 0, 2]]},
        }

        with pytest.raises(CannotPredict, match=r"directories of 2 tasks \(1_0 1_1\) hold the stores of others"):
            outcome(document, {"set_topology": {"tasks": swapped}})
        cleared = outcome(document, {"set_topology": {"tasks": swapped, "keeps_state": False}})
        assert cleared.summary.restore_records == sum((2, 2, 8, 6, 4, 4))

    def test_a_subtopology_that_moved_up_is_named(self) -> None:
        document = group(AFTER, "4.3.1")
        tasks = renumbered(document)
        for number in range(6):
            tasks[f"1_{number}"]["changelogs"] = [["others", number, 5]]

        with pytest.raises(CannotPredict, match="hold the stores of others"):
            outcome(document, {"set_topology": {"tasks": tasks}})

    def test_a_topology_without_tasks_is_refused(self) -> None:
        with pytest.raises(HoldfastError, match="one task or more"):
            change_from_json(change({"set_topology": {"tasks": {}}}))


class TestAGroupThatNeverSettles:
    def test_copies_that_gain_nothing_on_their_logs_are_found_and_named(self) -> None:
        slow = {"catch_up": {"records_per_second": 5, "grows_per_second": 5}}

        found = forecast_of(group(BEFORE), {"add_client": {"process_id": C, "threads": 2}}, assume=slow)

        (only,) = found.outcomes
        assert not only.stable
        assert only.summary.seconds_to_stable is None
        said = next(one.reason for one in found.unknown if "does not become stable" in one.reason)
        assert "stay more than acceptable.recovery.lag (0 records) behind and never become active" in said

    def test_a_little_faster_and_they_get_there(self) -> None:
        slow = {"catch_up": {"records_per_second": 5.1, "grows_per_second": 5}}

        assert outcome(group(BEFORE), {"add_client": {"process_id": C, "threads": 2}}, assume=slow).stable


def static(release: str = "3.9.1") -> Document:
    document = group(AFTER, release)
    for process_id, client in document["clients"].items():
        for number, consumer in enumerate(client["consumers"].values(), start=1):
            consumer["group_instance_id"] = f"{process_id[:4]}-{number}"
    return document


class TestAStaticMemberThatReturnsInTime:
    AS_ANOTHER = {"process_id": C, "keeps_process_id": False, "new_process_id": LAST, "within_session": True}  # noqa: RUF012

    def test_no_rebalance_happens_and_the_new_id_counts_from_the_next_one_on(self) -> None:
        now = outcome(static(), {"restart_client": self.AS_ANOTHER})
        later = outcome(
            static(), {"restart_client": self.AS_ANOTHER}, {"then": "rebalance"}, {"set_config": {"max.warmup.replicas": 2}}
        )
        with_rebalance = outcome(static(), {"restart_client": self.AS_ANOTHER | {"within_session": False}})

        assert (now.rounds, now.stable, now.summary.rebalances, now.summary.seconds_to_stable) == ((), True, 0, 0)
        assert [note for note in now.notes if note.kind is NoteKind.LATENT], "the next rebalance moves what belongs elsewhere"
        assert not [note for note in later.notes if note.kind is NoteKind.LATENT], "there it has happened"
        assert now.summary.active_moved == 2, "the two tasks of C have an owner of another name"
        assert later.summary.active_moved == with_rebalance.summary.active_moved == 6, "the latent reshuffle"

    def test_without_its_state_it_runs_what_it_ran(self) -> None:
        found = outcome(static(), {"restart_client": {"process_id": A, "keeps_state": False, "within_session": True}})

        assert found.clients == snapshot_from_json(static()).clients

    @pytest.mark.parametrize(
        ("document", "events", "said"),
        [
            (group(AFTER), [{"restart_client": AS_ANOTHER}], "no group.instance.id"),
            (static(), [{"restart_client": AS_ANOTHER | {"threads": 5}}], "leave `threads`"),
            (
                static(),
                [{"remove_client": {"process_id": A}}, {"then": "rebalance"}, {"restart_client": AS_ANOTHER}],
                "still rebalances",
            ),
        ],
    )
    def test_what_cannot_be_is_refused(self, document: Document, events: list[object], said: str) -> None:
        with pytest.raises(InvalidInput, match=said):
            outcome(document, *events)


def examples() -> list[Any]:
    return [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)]


class TestThePage:
    @pytest.mark.parametrize(
        "document",
        [one for one in examples() if "move_to_streams_protocol" not in one["events"][0]],  # tests/unit/rollout/kinds/moving
        ids=lambda one: next(iter(one["events"][0])),
    )
    def test_its_examples_can_be_forecast(self, document: Document) -> None:
        there = snapshot_from_json(static("3.8.1"))
        requested = change_from_json(named_json.resolved(document, there))

        assert change_from_json(change_to_json(requested)) == requested
        assert forecast(there, requested).outcomes

    def test_it_has_an_example_of_every_event(self) -> None:
        shown = {verb for document in examples() for event in document["events"] for verb in event}

        assert shown == {*table.by_verb(), "then"}

    def test_and_the_schema_knows_the_same(self) -> None:
        assert set(CHANGE.shape()["properties"]["events"]["items"]["properties"]) == {*table.by_verb(), "then"}


@pytest.mark.parametrize(
    "event",
    [
        {"stop_application": {"minutes": 0}},
        {"stop_application": {"minutes": True}},
        {"add_partitions": {"topic": "input"}},
        {"set_threads": {"process_id": A, "threads": 0}},
        {"remove_client": {"process_id": B, "leaves": "no"}},
    ],
)
def test_what_makes_no_sense_is_refused_in_reading(event: object) -> None:
    with pytest.raises(HoldfastError):
        change_from_json(change(event))


def test_a_rate_of_growth_below_nothing_is_refused() -> None:
    with pytest.raises(HoldfastError, match="0 or more"):
        change_from_json(change(assume={"catch_up": {"records_per_second": 1, "grows_per_second": -1}}))


class TestWhatLiesOnDisks:
    @pytest.mark.parametrize(
        ("release", "guarantee", "doubtful"),
        [
            ("2.7.2", "exactly_once_beta", True),
            ("2.7.2", "at_least_once", False),
            ("2.8.2", "exactly_once_beta", False),
        ],
    )
    def test_up_to_2_7_an_idle_close_under_exactly_once_may_lose_what_was_done(
        self, release: str, guarantee: str, doubtful: bool
    ) -> None:
        """Seen with real clients (docs/state-directory.md): 0 where 19 were on the disk."""
        document = group(AFTER, release, config={"processing.guarantee": guarantee})
        said = [one.reason for one in forecast_of(document, {"restart_client": {"process_id": A}}).unknown]

        assert any("1_4 are closed during the change" in one for one in said) == doubtful
        assert not any(
            "closed on the way" in one.reason for one in forecast_of(document, {"set_config": {"max.warmup.replicas": 3}}).unknown
        )

    def test_a_client_that_is_added_on_a_known_disk_has_what_lies_there(self) -> None:
        """It was stopped a while ago and had a copy of 1_0, which it is to run again: nothing is restored for it."""
        report = {"task_offset_sums": {"1_0": 2, "1_2": 8, "1_4": 4}}
        known = group(BEFORE) | {"state_directories": [{"url": "/c", "process_id": C, "first_report": report}]}
        joins = {"add_client": {"process_id": C, "threads": 2}}

        empty, found = outcome(group(BEFORE), joins), outcome(known, joins)

        assert found.summary.restore_records < empty.summary.restore_records
        assert found.clients != empty.clients

    def test_a_disk_on_which_a_member_runs_is_nobody_elses(self) -> None:
        """What a member reports is inferred from more than its files."""
        report = {"task_offset_sums": {"1_0": 1}}
        known = group(AFTER) | {"state_directories": [{"url": "/c", "process_id": C, "first_report": report}]}
        back = ({"remove_client": {"process_id": C}}, {"then": "stable"}, {"add_client": {"process_id": C, "threads": 2}})

        assert outcome(known, *back).rounds == outcome(group(AFTER), *back).rounds
