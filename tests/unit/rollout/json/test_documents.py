"""Are documents read strictly, with every problem named, and always written identically?"""

import pytest
from tests.harness.article import AFTER, BEFORE, A, B, C, Document, altered, change, group

from holdfast.errors import HoldfastError, InvalidDocument, InvalidInput, Unsupported
from holdfast.rollout.json import fingerprints
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.streams.change.json import change_from_json, change_to_json
from holdfast.rollout.streams.forecast.assignment_json import assignment_from_json, assignment_to_json
from holdfast.rollout.streams.snapshot.json import snapshot_from_json, snapshot_to_json
from holdfast.rollout.streams.snapshot.relied_on import snapshot_fingerprint

MEMBER = f"streams-wordcount-{A}-StreamThread-1-consumer-0f6d8a3e-0000-4000-8000-000000000001"


class TestText:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "not JSON"),
            ("{", "line 1, column 2"),
            ('{"a": 1}\n}', "line 2, column 1"),
            ('{"a": 1, "a": 2}', "'a' is given twice"),
            ('{"tasks": {"0_0": {}, "0_0": {}}}', "'0_0' is given twice"),
            ('{"a": NaN}', "NaN"),
            ('{"a": -Infinity}', "Infinity"),
            ('{"a": 1e999}', "too large"),
            ('{"a": ' + "1" * 5000 + "}", "thousands of digits"),
            ("[" * 100 + "]" * 100, "too deeply"),
            ("[" * 100_000 + "]" * 100_000, "too deeply"),
            (b'{"a": "\xff"}', "not UTF-8"),
        ],
    )
    def test_what_is_not_json_is_refused(self, text: str | bytes, said: str) -> None:
        with pytest.raises(InvalidInput, match=said):
            loads(text)

    def test_a_byte_order_mark_is_passed_over(self) -> None:
        assert loads(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}

    def test_the_same_value_gives_the_same_text_and_any_text_is_ascii(self) -> None:
        assert dumps({"b": "\ud800 é\x1b", "a": [1, None]}) == '{"b":"\\ud800 \\u00e9\\u001b","a":[1,null]}'

    def test_a_fingerprint_does_not_depend_on_the_order_of_keys(self) -> None:
        assert fingerprints.fingerprint({"a": 1, "b": 2}) == fingerprints.fingerprint({"b": 2, "a": 1})
        assert fingerprints.fingerprint({"a": 1}) != fingerprints.fingerprint({"a": 2})


class TestSnapshot:
    def test_a_round_trip_changes_nothing(self) -> None:
        snapshot = snapshot_from_json(group(AFTER))

        assert snapshot_from_json(loads(dumps(snapshot_to_json(snapshot)))) == snapshot

    def test_extra_fields_are_ignored_and_absent_ones_have_a_meaning(self) -> None:
        bare = {
            "format_version": "1.7",
            "group_id": "g",
            "protocol": "streams-classic",
            "tasks": {"0_0": {"partitions": [["t", 0]], "changelogs": None, "note": 1}},
            "clients": {A: {"consumers": {"m": {}}, "since": "yesterday"}},
            "mood": "good",
        }
        snapshot = snapshot_from_json(bare)

        assert snapshot.clients[0].consumers[0].owned == ()
        assert snapshot.tasks[0].changelogs is None
        assert snapshot.leader_process_id is None

    def test_unknown_may_be_a_sentence(self) -> None:
        snapshot = snapshot_from_json(group(AFTER) | {"unknown": ["who leads"]})

        assert snapshot_to_json(snapshot)["unknown"] == [{"what": "who leads", "reason": ""}]

    def test_real_groups_report_tasks_that_are_gone(self) -> None:
        document = altered(group(BEFORE), ["clients", A, "consumers", MEMBER, "task_offset_sums"], {"7_7": 3, "1_0": -2})

        assert len(snapshot_from_json(document).clients[0].consumers[0].task_offset_sums) == 2

    def test_the_order_of_members_is_kept(self) -> None:
        written = snapshot_to_json(snapshot_from_json(group({B: ((),), A: ((),)})))

        assert isinstance(written["clients"], dict)
        assert list(written["clients"]) == [B, A]

    @pytest.mark.parametrize(
        ("path", "value", "where", "said"),
        [
            (["format_version"], 1, "format_version", "format_version"),
            (["format_version"], "one", "format_version", "format_version"),
            (["group_id"], "", "group_id", "empty"),
            (["captured_at"], "yesterday", "captured_at", "moment"),
            (["captured_at"], "2026-11-20T13:48:02", "captured_at", "moment"),
            (["protocol"], "carrier-pigeon", "protocol", "streams-classic"),
            (["leader_process_id"], C, "leader_process_id", "not among the clients"),
            (["leader_process_id"], "nobody", "leader_process_id", "not a process ID"),
            (["clients"], [], "clients", "an object is needed, a list was found"),
            (["clients", "4b61"], {"consumers": {"m": {}}}, "clients.4b61", "not a process ID"),
            (["clients", A.upper()], {"consumers": {"m": {}}}, "clients", "is given twice"),
            (["clients", C], {"consumers": {}}, "clients." + C + ".consumers", "one consumer or more"),
            (["clients", C], {"consumers": {MEMBER: {}}}, "clients", "is given twice"),
            (["clients", A, "host"], 7, f"clients.{A}.host", "a string is needed, 7 was found"),
            (["clients", A, "client_tags"], {"zone": 1}, f"clients.{A}.client_tags.zone", "a string"),
            (["tasks", "1-0"], {"partitions": [], "changelogs": []}, "tasks.1-0", "not a task ID"),
            (["tasks", "01_0"], {"partitions": [], "changelogs": []}, "tasks.01_0", "not a task ID"),
            (["tasks", "9_9"], {"partitions": []}, "tasks.9_9", "'changelogs' is missing"),
            (["tasks", "9_9"], {"partitions": [["input", 0]], "changelogs": []}, "tasks", "0_0 and 9_9"),
            (["tasks", "9_9"], {"partitions": [["x", 0], ["x", 0]], "changelogs": []}, "tasks", "9_9 twice"),
            (["tasks", "1_0", "changelogs"], [["c", 0, -1]], "tasks.1_0.changelogs[0]", "-1"),
            (["tasks", "1_0", "changelogs"], [["c", 0, True]], "tasks.1_0.changelogs[0]", "an integer is needed, True"),
            (["tasks", "1_0", "changelogs"], [["c", 0, 1.0]], "tasks.1_0.changelogs[0]", "an integer is needed, 1.0"),
            (["tasks", "1_0", "changelogs"], [["c", 0, 2**63]], "tasks.1_0.changelogs[0]", "9223372036854775807"),
            (["tasks", "1_0", "changelogs"], [["c", 0]], "tasks.1_0.changelogs[0]", "topic, partition, end offset"),
            (["tasks", "1_0", "partitions"], [["t", -1]], "tasks.1_0.partitions[0]", "-1"),
            (["clients", A, "consumers", MEMBER, "task_offset_sums"], {"1_0": -1}, "", "-2 for a running active task"),
            (["clients", A, "consumers", MEMBER, "task_offset_sums"], {"1_0": -3}, "task_offset_sums.1_0", "version 6 or less"),
            (["clients", A, "consumers", MEMBER, "task_offset_sums"], {"1_0": -4}, "", "-2 for a running active task"),
            (["clients", A, "consumers", MEMBER, "task_offset_sums"], {"1_0": "2"}, "", "an integer is needed, '2'"),
            (["clients", A, "consumers", MEMBER, "owned"], [["t", 0, 1]], "", "a partition like"),
            (["clients", A, "consumers", MEMBER, "metadata_version"], 0, "", "from 1"),
            (["config"], {"max.warmup.replicas": {"is": 2}}, "config", "a string, a number"),
            (["generations"], [{"number": 1}], "generations[0]", "missing"),
        ],
    )
    def test_what_breaks_the_contract_is_refused_with_its_place(
        self, path: list[str], value: object, where: str, said: str
    ) -> None:
        with pytest.raises(HoldfastError) as refusal:
            snapshot_from_json(altered(group(BEFORE), path, value))

        assert said in str(refusal.value)
        assert where in str(refusal.value)

    @pytest.mark.parametrize(
        ("path", "value", "said"),
        [
            (["format_version"], "2.0", "2.0"),
            (["protocol"], "consumer-classic", "consumer-classic"),
            (["protocol"], "streams", "streams"),
            (["protocol"], "consumer", "consumer"),
            (["tasks", "top__1_0"], {"partitions": [], "changelogs": []}, "named topology"),
        ],
    )
    def test_what_is_known_and_not_covered_is_refused_by_name(self, path: list[str], value: object, said: str) -> None:
        with pytest.raises(Unsupported, match=said):
            snapshot_from_json(altered(group(BEFORE), path, value))

    def test_all_problems_are_told_at_once(self) -> None:
        document = altered(group(BEFORE), ["tasks", "1_0", "changelogs"], [["c", 0, -1]])
        document = altered(document, ["clients", A, "consumers", MEMBER, "owned"], "all")
        document = altered(document, ["clients", "x"], {"consumers": {}})
        with pytest.raises(InvalidDocument) as refusal:
            snapshot_from_json(document)

        assert [problem.where for problem in refusal.value.problems] == [
            "tasks.1_0.changelogs[0][2]",
            f"clients.{A}.consumers.{MEMBER}.owned",
            "clients.x",
        ]

    def test_a_message_shows_hostile_text_escaped_and_short(self) -> None:
        with pytest.raises(InvalidInput) as refusal:
            snapshot_from_json(altered(group(BEFORE), ["clients", "\x1b[2J" + "x" * 10_000], {"consumers": {"m": {}}}))

        assert "\x1b" not in str(refusal.value)
        assert len(str(refusal.value)) < 1000


class TestSnapshotFingerprint:
    def fingerprint(self, document: Document) -> str:
        return snapshot_fingerprint(snapshot_from_json(document))

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            (["captured_at"], None),
            (["group_state"], "Empty"),
            (["leader_process_id"], A),
            (["unknown"], ["something"]),
            (["tasks", "1_0", "changelogs"], [["changelog", 0, 999]]),
            (["clients", A, "consumers", MEMBER, "task_offset_sums"], {"1_0": 1}),
        ],
    )
    def test_it_does_not_cover_what_moves_every_second(self, path: list[str], value: object) -> None:
        assert self.fingerprint(altered(group(BEFORE), path, value)) == self.fingerprint(group(BEFORE))

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            (["config", "max.warmup.replicas"], 3),
            (["kafka_release"], "3.9.1"),
            (["group_id"], "another"),
            (["tasks", "1_0", "changelogs"], []),
            (["clients", A, "consumers", "one more"], {}),
            (["clients", C], {"consumers": {"m": {}}}),
            (["clients", A, "consumers", MEMBER, "owned"], []),
        ],
    )
    def test_it_covers_what_a_plan_relies_on(self, path: list[str], value: object) -> None:
        assert self.fingerprint(altered(group(BEFORE), path, value)) != self.fingerprint(group(BEFORE))


class TestChange:
    @pytest.mark.parametrize(
        "event",
        [
            {"add_client": {"process_id": C, "threads": 2, "host": "app-2", "rack": None, "client_tags": {"zone": "a"}}},
            {"add_client": {"process_id": None, "threads": 1, "member_ids": ["m"], "user_endpoint": "h:1"}},
            {"replace_client": {"process_id": A, "by": {"process_id": None, "threads": 2}, "state": "empty"}},
            {"replace_client": {"process_id": A, "by": {"process_id": A, "host": None}, "state": {"copied_from": B}}},
            {"add_client": {"process_id": C, "member_ids": ["m", "n"]}},
            {"remove_client": {"process_id": B}},
            {"restart_client": {"process_id": A, "keeps_process_id": False, "new_process_id": C, "keeps_state": False}},
            {"restart_client": {"process_id": A, "member_ids": ["x", "y"]}},
            {"set_config": {"max.warmup.replicas": 6, "rack.aware.assignment.tags": ["zone"]}},
            {"then": "stable"},
        ],
    )
    def test_a_round_trip_changes_nothing(self, event: object) -> None:
        requested = change_from_json(change(event, assume={"catch_up": {"records_per_second": 5}, "dormant_copies": "dropped"}))

        assert change_from_json(change_to_json(requested)) == requested

    @pytest.mark.parametrize(
        ("document", "said"),
        [
            ({"events": []}, "'format_version' is missing"),
            ({"format_version": "1.0"}, "'events' is missing"),
            ({"format_version": "2.0", "events": []}, "2.0"),
            (change(because="I can"), "'because' is unknown"),
            (change({"explode_client": {}}), "'explode_client' is unknown"),
            (change({}), "one verb"),
            (change({"remove_client": {"process_id": A}, "then": "stable"}), "one verb"),
            (change("stop"), "an object is needed"),
            (change({"remove_client": {}}), "'process_id' is missing"),
            (change({"remove_client": {"process_id": "4b61"}}), "not a process ID"),
            (change({"remove_client": {"process_id": A, "gently": True}}), "'gently' is unknown"),
            (change({"add_client": {"process_id": C}}), "'threads' is missing"),
            (change({"add_client": {"threads": 2}}), "'process_id' is missing"),
            (change({"add_client": {"process_id": C, "threads": 0}}), "from 1"),
            (change({"add_client": {"process_id": C, "threads": True}}), "an integer is needed"),
            (change({"add_client": {"process_id": C, "threads": 2, "member_ids": ["m"]}}), "one member ID a thread"),
            (change({"add_client": {"process_id": C, "threads": 2, "member_ids": ["m", "m"]}}), "is given twice"),
            (change({"replace_client": {"process_id": A}}), "'by' is missing"),
            (change({"replace_client": {"process_id": A, "by": {"process_id": C, "disk": "big"}}}), "'disk' is unknown"),
            (change({"replace_client": {"process_id": A, "by": {"process_id": C}, "state": "dusty"}}), "copied_from"),
            (change({"replace_client": {"process_id": A, "by": {"process_id": C}, "state": {"copied_from": "A"}}}), "process ID"),
            (change({"restart_client": {"process_id": A, "new_process_id": C}}), "keeps its process ID"),
            (change({"restart_client": {"process_id": A, "keeps_state": "yes"}}), "true or false"),
            (change({"set_config": {}}), "one setting or more"),
            (change({"set_config": {"a": {"b": 1}}}), "an object was found"),
            (change({"then": "tomorrow"}), '"rebalance" or "stable"'),
            (change(assume={"catch_up": "soon"}), "probing rebalance"),
            (change(assume={"catch_up": {"records_per_second": 0}}), "above 0"),
            (change(assume={"closed_copies": "lost"}), "as released"),
            (change(assume={"weather": "fair"}), "'weather' is unknown"),
        ],
    )
    def test_what_nobody_could_carry_out_is_refused(self, document: Document, said: str) -> None:
        with pytest.raises(HoldfastError) as refusal:
            change_from_json(document)

        assert said in str(refusal.value)


class TestAssignment:
    def test_a_failing_leader_is_an_answer(self) -> None:
        for written in ({"format_version": "1.0", "error": "thrown"}, {"format_version": "1.0", "error_code": 4}):
            assert assignment_to_json(assignment_from_json(written)) == written
