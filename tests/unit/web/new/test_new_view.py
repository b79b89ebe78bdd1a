"""The page "Plan a rollout": what fields mean, what is refused and next to which field, what can be selected."""

import json
from importlib.resources import files
from pathlib import Path

import pytest
from tests.harness import plain_groups
from tests.harness.article import AFTER, A, C, Document, change, group
from tests.harness.kafka import described_groups
from tests.harness.pages.web_lake import HOSTILE
from tests.harness.plans import NOON, read

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.rollout.broker_streams.snapshot.described import snapshot_of
from holdfast.rollout.contract.requests import What
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.any_document import AnySnapshot
from holdfast.web.new import new_page, new_request, new_view
from holdfast.web.templating import sentence
from holdfast.workflows import snapshots

ROOT = Path(__file__).resolve().parents[4]
GONE = json.dumps(change({"remove_client": {"process_id": A[:-1] + "7"}}))
READERS = {"a": plain_groups.member(0, 1, 2, host="app-a"), "b": plain_groups.member(3, 4, 5, host="app-b", client_id="b")}


def hosted() -> AnySnapshot:
    document = group(AFTER)
    for number, client in zip((10, 9, 2), document["clients"].values(), strict=True):
        client["host"] = f"app-{number}"
    return read(document)


def stateful_document() -> Document:
    """A recorded group: which tasks are stateful is known."""
    found: Document = json.loads((ROOT / "examples" / "streams-wordcount" / "snapshot.json").read_text(encoding="utf-8"))
    return found


def stateful() -> AnySnapshot:
    return read(stateful_document())


def plain() -> AnySnapshot:
    return any_document.snapshot_from_json(plain_groups.group(READERS))


def by_broker() -> AnySnapshot:
    found = described_groups.group(), described_groups.PARTITIONS
    return snapshot_of(*found, cluster="local", captured_at="2026-11-22T05:00:00Z", broker_release="4.3", config=())


def asked(snapshot: AnySnapshot | None = None, **fields: str | list[str]) -> new_request.CheckedRequest:
    sent = {name.replace("__", "."): [value] if isinstance(value, str) else value for name, value in fields.items()}
    return new_request.asked_for({"cluster": ["local"], "group": ["g"]} | sent, snapshot or hosted())


class TestWhatIsTyped:
    def test_is_the_parameters_of_the_dag_and_those_only_that_were_said(self) -> None:
        found = asked(
            what="replace a host", hosts=["app-9"], new_host=" app-11 ", threads="", disk="empty", minutes="5", policy=" "
        )

        assert found.problems == {}
        assert found.conf == {
            "cluster": "local", "group": "g", "what": "replace a host", "hosts": ["app-9"], "new_host": "app-11", "disk": "empty",
        }  # fmt: skip

    def test_is_said_in_a_sentence_before_it_is_sent(self) -> None:
        named = {client.host: str(client.process_id)[:8] for client in hosted().clients}  # type: ignore[union-attr]
        said = {
            asked(what="replace a host", hosts=["app-9"], new_host="app-11").sentence,
            asked(what="change settings", setting__max___="", settings="max.warmup.replicas=6").sentence,
            asked(what="scale", clients="5").sentence,
            asked(plain(), what="replace a host", hosts=["app-b"], new_host="app-c").sentence,
        }

        assert said == {
            f"Replace app-9 ({named['app-9']}…) by a new client on app-11 with an empty disk.",
            "Restart every client, 1 at a time, with max.warmup.replicas = 6.",
            "Add a client (2 threads) (2 times).",
            "Replace app-b (b) by b-80000000-0000-0000-0000-000000000000 (host app-c).",
        }

    def test_a_move_to_the_streams_protocol(self) -> None:
        found = asked(stateful(), what="move to the streams protocol", broker_release=" 4.3.1 ", kafka_release="4.3.1")

        assert found.problems == {}
        assert (found.conf["broker_release"], found.conf["kafka_release"]) == ("4.3.1", "4.3.1")
        assert found.sentence == "Move to group.protocol=streams, with brokers of Kafka 4.3.1 and clients of Kafka Streams 4.3.1."

    def test_of_an_unknown_group_is_checked_as_far_as_it_goes(self) -> None:
        sent = {"cluster": ["new"], "group": ["g"], "what": ["scale"], "clients": ["5"]}

        assert new_request.asked_for(sent, None).sentence == "Scale to a number of clients (clients: 5)."
        assert "clients" in new_request.asked_for(sent | {"clients": [""]}, None).problems

    def test_settings_of_their_own_fields_and_of_the_text_are_one(self) -> None:
        sent = {"setting.max.warmup.replicas": "6", "settings": "rack.aware.assignment.tags=zone\n", "setting.made.up": "x"}
        found = asked(what="change settings", **{name.replace(".", "__", 1): value for name, value in sent.items()})

        assert found.conf["settings"] == "max.warmup.replicas=6\nrack.aware.assignment.tags=zone"

    def test_the_settings_of_their_own_fields_are_those_of_the_kind_of_group(self) -> None:
        found = asked(by_broker(), what="change settings", **{"setting__streams.num.standby.replicas": "1"})

        assert (found.problems, found.conf["settings"]) == ({}, "streams.num.standby.replicas=1")
        assert "settings" in asked(by_broker(), what="change settings", **{"setting__max.warmup.replicas": "6"}).problems

    def test_what_is_asked_again_is_typed_again(self) -> None:
        for fields in (
            {"what": "scale", "clients": "1", "hosts": ["app-9", "app-10"]},
            {"what": "stop and start all", "minutes": "2.5"},
            {"what": "change", "change": json.dumps(change({"remove_client": {"process_id": C}}))},
        ):
            conf = asked(**fields).conf
            again = new_request.asked_for(new_request.typed_of(conf | {"threads": None, "stranger": 1}), hosted())

            assert (again.conf, again.problems) == (conf, {})

    def test_the_same_form_asks_for_the_same_run_and_another_content_for_another(self) -> None:
        key, one = new_page.new_key(NOON), asked(what="rolling restart").conf

        assert new_page.run_id(key, one) == new_page.run_id(key, dict(one))
        assert new_page.run_id(key, one) != new_page.run_id(key, dict(one) | {"at_once": 2})
        assert new_page.new_key(NOON) != key


class TestRefusals:
    @pytest.mark.parametrize(
        ("fields", "where", "said"),
        [
            ({}, "what", "choose what is to be done"),
            ({"what": "explode"}, "what", "'explode' is not one of"),
            ({"what": "replace a host"}, "hosts", "nothing was found"),
            ({"what": "replace a host", "hosts": ["app-7"]}, "hosts", "no client of the group is called 'app-7'"),
            ({"what": "replace a host", "hosts": ["app-9"], "threads": "two"}, "threads", "'two' was found; a whole number"),
            ({"what": "replace a host", "hosts": ["app-9"], "threads": "0"}, "threads", "0 is less than the minimum of 1"),
            ({"what": "replace a host", "hosts": ["x" * 300]}, "hosts", "is too long"),
            ({"what": "scale", "clients": "3"}, "clients", "the group has 3 clients already"),
            ({"what": "scale", "clients": "5", "more_hosts": "x"}, "hosts", "name the host of each"),
            ({"what": "change settings", "settings": "max.warmup.replica=6"}, "settings", "no Kafka release has"),
            ({"what": "change settings", "settings": "sasl.jaas.config=open-sesame"}, "settings", "holds a secret"),
            ({"what": "change settings", "settings": "a=1\nssl.key.pass\\\n  word open-sesame"}, "settings", "holds a secret"),
            ({"what": "change settings", "settings": "bootstrap.servers=me:open-sesame@b:9092"}, "settings", "holds a secret"),
            ({"what": "change", "change": '{"events": [{"\\u0070assword": "open-sesame"}]}'}, "change", "events[0].password"),
            ({"what": "rolling restart", "policy": "x: {'db\\x2epassword': open-sesame}"}, "policy", "holds a secret"),
            ({"what": "replace a host", "hosts": ["https://me:open-sesame@h"]}, "hosts", "holds a secret"),
            ({"what": "upgrade Kafka Streams", "kafka_release": "9.9.9"}, "kafka_release", "'9.9.9' is not one of"),
            ({"what": "stop and start all", "minutes": "soon"}, "minutes", "a number of minutes is needed"),
            ({"what": "stop and start all", "minutes": "9999999"}, "minutes", "9999999 is greater than the maximum"),
            ({"what": "change"}, "change", "a Change document is needed"),
            ({"what": "change", "change": "{"}, "change", "the document is not JSON"),
            ({"what": "change", "change": "[1]"}, "change", "[1] is not of type"),
            ({"what": "change", "change": '{"format_version": "7.0", "events": []}'}, "change", "format_version '7.0' is unknown"),
            ({"what": "change", "change": GONE}, "change", "events[0].remove_client"),
            ({"what": "change", "change": json.dumps(change({"add_client": {}}))}, "change", "events[0].add_client: the field"),
            ({"what": "change", "change": json.dumps(change({"remove_topic": {"topic": "t"}}))}, "change", "events[0]: the event"),
            ({"cluster": " ", "what": "rolling restart"}, "cluster", "the name of the cluster is needed"),
        ],
        ids=str,
    )  # fmt: skip
    def test_stand_beside_their_field(self, fields: dict[str, str | list[str]], where: str, said: str) -> None:
        found = asked(**fields)

        assert list(found.problems) == [where]
        assert said in found.problems[where]
        assert "open-sesame" not in str(found.problems)
        assert "open-sesame" not in str(found.conf)
        assert found.sentence == ""
        assert "open-sesame" not in str(found.problems)

    @pytest.mark.parametrize(
        ("fields", "where", "said"),
        [
            ({}, "broker_release", "the Kafka release of the group's brokers"),
            ({"broker_release": "4.1.1"}, "broker_release", "the broker runs Kafka 4.1.1: group.protocol=streams"),
            ({"broker_release": "4.2.0"}, "broker_release", "KAFKA-20254"),
            ({"broker_release": "new"}, "broker_release", "'new'"),
            ({"broker_release": "4.3.1", "kafka_release": "3.9.1"}, "kafka_release", "the clients run Kafka Streams 3.9.1"),
            ({"broker_release": "4.3.1", "minutes": "5"}, None, ""),
        ],
        ids=str,
    )  # fmt: skip
    def test_a_move_that_brokers_or_clients_refuse(self, fields: dict[str, str], where: str | None, said: str) -> None:
        found = asked(stateful(), what="move to the streams protocol", **({"kafka_release": "4.3.1"} | fields))

        assert list(found.problems) == ([] if where is None else [where])
        assert where is None or said in found.problems[where]

    def test_a_move_that_a_topology_or_its_features_prevent(self) -> None:
        document = stateful_document()
        document["config"] |= {"rack.aware.assignment.tags": ["zone"]}
        found = asked(read(document), what="move to the streams protocol", broker_release="4.3.1", kafka_release="4.3.1")

        assert list(found.problems) == ["what"]
        assert "it places standbys by client tags (rack.aware.assignment.tags=zone)" in found.problems["what"]
        assert "does not apply" in asked(plain(), what="move to the streams protocol", broker_release="4.3.1").problems["what"]

    def test_a_setting_that_stands_twice(self) -> None:
        sent = {"what": ["change settings"], "setting.max.warmup.replicas": ["6"], "settings": ["max.warmup.replicas = 7"]}
        found = new_request.asked_for({"cluster": ["c"], "group": ["g"]} | sent, hosted())

        assert "is given both in its field and in the text" in found.problems["settings"]

    def test_what_a_plain_group_cannot_be_asked_for(self) -> None:
        assert "does not apply" in asked(plain(), what="stop and start all", minutes="5").problems["what"]
        assert (
            "a consumer of this group has none"
            in asked(plain(), what="replace a host", hosts=["app-a"], threads="2").problems["threads"]
        )


class TestWhatCanBeChosen:
    def test_hosts_in_the_order_that_people_expect(self) -> None:
        found = new_view.known(hosted(), "id", (), NOON)

        assert [one.name for one in found.hosts] == ["app-2", "app-9", "app-10"]
        assert {one.detail for one in found.hosts} == {"2 threads, 2 stateful tasks"}

    def test_a_client_without_a_host_by_its_process_id(self) -> None:
        document = group(AFTER)
        for client in document["clients"].values():
            client["host"] = None
        found = new_view.known(read(document), "id", (), NOON)

        assert sorted(one.name for one in found.hosts) == sorted(document["clients"])
        assert asked(read(document), what="replace a host", hosts=[C]).problems == {}

    def test_settings_show_what_the_group_has(self) -> None:
        found = {one.key: (one.now, one.default) for one in new_view.known(hosted(), "id", (), NOON).settings}

        assert found["max.warmup.replicas"] == ("2", "2")
        assert found["num.standby.replicas"] == ("", "0")

    def test_the_example_fits_the_group(self) -> None:
        for snapshot in (hosted(), plain()):
            text = new_view.known(snapshot, "id", (), NOON).example

            assert asked(snapshot, what="change", change=text).problems == {}

    def test_of_plain_groups_what_makes_sense(self) -> None:
        found = new_view.known(plain(), "id", (), NOON)

        asked = [option.value for option in new_view.choices(found)]
        assert asked == ["replace a host", "scale", "rolling restart", "move to the consumer protocol", "change"]
        assert [option.value for option in new_view.choices(None)] == [*What, "change"]
        assert [(one.name, one.detail) for one in found.hosts] == [
            ("app-a", "reads 3 partitions"),
            ("app-b", "reads 3 partitions"),
        ]


def test_groups_that_the_lake_knows(tmp_path: Path) -> None:
    """With names of every kind, of every cluster, by their newest day."""
    lake = FsspecLake(str(tmp_path))
    for name, day in (("plain", "2026-11-19"), ("plain", "2026-11-20"), (HOSTILE, "2026-11-20"), ("a/../b%", "2026-11-18")):
        for cluster in ("eu", "x" * 300):
            document = group(AFTER) | {"group_id": name, "cluster": cluster, "captured_at": f"{day}T12:00:00Z"}
            snapshots.keep(lake, any_document.snapshot_from_json(document))
    (tmp_path / "snapshots" / "cluster=eu" / "day=2026-11-20" / f"group={'y' * 100}-{'0' * 32}").mkdir()

    found = snapshots.groups(lake)

    assert [row for row in found if row[0] == "eu"] == [
        ("eu", HOSTILE, "2026-11-20"), ("eu", "a/../b%", "2026-11-18"), ("eu", "plain", "2026-11-20"),
    ]  # fmt: skip
    assert {row[0] for row in found} == {"eu", "x" * 300}
    assert len(found) == 6


@pytest.mark.parametrize(
    ("name", "what", "label"),
    [
        ("kafka_release", "upgrade Kafka Streams", "Target release"),
        ("hosts", "replace a host", "Host to replace"),
        ("hosts", "rolling restart", "Hosts"),
        ("threads", "scale", "Stream threads of each new client"),
        ("snapshot", "", "Snapshot"),
        ("", "scale", ""),
        ("made_up", "scale", "Made up"),
    ],
)
def test_a_field_is_called_as_on_the_form(name: str, what: str, label: str) -> None:
    assert new_view.label_of(name, what) == label


def test_what_is_wrong_is_a_sentence() -> None:
    assert [sentence(one) for one in ("nothing was found", "Is it?", "", "two\nlines.")] == [
        "Nothing was found.",
        "Is it?",
        "",
        "Two\nlines.",
    ]


def test_every_field_of_the_form_has_its_name_there() -> None:
    """The page's template and the list of what is wrong call a field the same."""
    template = (files("holdfast.web") / "templates" / "new.html").read_text()
    for name, what in (("kafka_release", ""), ("new_host", ""), ("at_once", ""), ("minutes", ""), ("hosts", "replace a host")):
        assert new_view.label_of(name, what) in template, name
