"""Does a form with a few fields mean the right Change, and does each refusal name its field and say what is needed?"""

import copy

import pytest
from jsonschema import Draft202012Validator
from tests.harness.article import AFTER, A, B, C, Document, group
from tests.harness.plans import read

from holdfast.errors import HoldfastError, InvalidInput, Unsupported
from holdfast.rollout.contract.requests import ALL_HOSTS, FIELDS, REQUEST, What, request_from_form
from holdfast.rollout.streams.change.json import change_to_json
from holdfast.rollout.streams.change.request import change_of

SECRET = "open-sesame-4711"
HOSTS = {C: "app-0", A: "app-1", B: "app-1"}
"""Two clients on one host."""


def hosted() -> Document:
    document = copy.deepcopy(group(AFTER))
    for process_id, host in HOSTS.items():
        document["clients"][process_id]["host"] = host
    return document


def events(**form: object) -> list[dict[str, object]]:
    made = change_of(request_from_form(form), read(hosted()))
    return change_to_json(made)["events"]


def refusal(**form: object) -> str:
    with pytest.raises(HoldfastError) as refused:
        events(**form)
    assert isinstance(refused.value, InvalidInput | Unsupported)
    return str(refused.value)


def test_the_group_is_as_the_tests_below_take_it() -> None:
    assert sorted(hosted()["clients"]) == sorted((A, B, C))


class TestWhatIsMeant:
    def test_a_host_is_replaced_with_all_its_clients(self) -> None:
        (replaced,) = (event["replace_client"] for event in events(what="replace a host", hosts=["app-0"]))
        assert replaced["process_id"] == C
        assert replaced["by"]["process_id"] is None
        assert (replaced["by"]["host"], replaced["state"]) == ("app-0", "empty")

        both = [
            event["replace_client"]
            for event in events(what="replace a host", hosts="app-1", new_host="new", disk="kept", threads=3)
        ]
        assert [one["process_id"] for one in both] == sorted((A, B), key=[*hosted()["clients"]].index)
        assert {(one["by"]["host"], one["state"], one["by"]["threads"]) for one in both} == {("new", "kept", 3)}

    def test_a_client_may_be_named_by_its_process_id(self) -> None:
        (one,) = events(what="replace a host", hosts=[A])
        assert one["replace_client"]["process_id"] == A

    def test_more_clients_come_with_as_many_threads_as_most_have(self) -> None:
        added = [event["add_client"] for event in events(what="scale", clients=5)]
        assert [(one["process_id"], one["threads"]) for one in added] == [(None, 2)] * 2

        named = [event["add_client"] for event in events(what="scale", clients=5, hosts=["x", "y"], threads=1)]
        assert [(one["host"], one["threads"]) for one in named] == [("x", 1), ("y", 1)]

    def test_fewer_clients_are_those_that_are_named(self) -> None:
        assert events(what="scale", clients=2, hosts=["app-0"]) == [{"remove_client": {"process_id": C, "leaves": False}}]
        assert len(events(what="scale", clients=1, hosts=["app-1"])) == 2

    def test_restarts_are_of_all_or_of_some(self) -> None:
        ((all_clients,), (some,)) = (events(what="rolling restart"), events(what="rolling restart", hosts="app-0", at_once=2))
        assert all_clients["rolling_restart"].get("process_ids") is None
        assert (some["rolling_restart"]["process_ids"], some["rolling_restart"]["at_once"]) == ([C], 2)

    def test_settings_and_releases_come_with_a_restart(self) -> None:
        text = "# few\nmax.warmup.replicas = 6\nrack.aware.assignment.tags: zone\n"
        (settings,) = events(what="change settings", settings=text)
        assert settings["rolling_restart"]["set_config"] == {"max.warmup.replicas": 6, "rack.aware.assignment.tags": "zone"}

        (upgrade,) = events(what="upgrade Kafka Streams", kafka_release="3.9.1")
        assert upgrade["rolling_restart"]["kafka_release"] == "3.9.1"

    def test_a_stop_takes_minutes(self) -> None:
        assert events(what="stop and start all", minutes=30) == [{"stop_application": {"minutes": 30}}]

    def test_what_is_empty_was_not_said(self) -> None:
        empty = {"hosts": [], "new_host": None, "disk": None, "clients": None, "threads": None, "settings": "", "minutes": None}
        assert events(what="rolling restart", change=None, cluster="c", **empty) == events(what="rolling restart")


class TestRefusals:
    @pytest.mark.parametrize("what", [what for what in What if what not in ALL_HOSTS])
    def test_name_what_is_missing(self, what: What) -> None:
        assert refusal(what=what.value).startswith(f"{FIELDS[what][0]}: nothing was found, and '{what}' needs ")

    @pytest.mark.parametrize(
        ("form", "said"),
        [
            ({"what": "explode"}, "what"),
            ({}, "'what' is missing"),
            ({"what": "rolling restart", "minutes": 5}, "minutes: a value was given, and 'rolling restart' does not use it"),
            ({"what": "replace a host", "hosts": ["app-0", "app-1"]}, "hosts: 2 were found"),
            ({"what": "replace a host", "hosts": ["app-7"]}, "hosts: no client of the group is called 'app-7': by host"),
            ({"what": "replace a host", "hosts": ["app-0\u202e"]}, r"'app-0\u202e'"),
            ({"what": "replace a host", "hosts": ["app-0"], "disk": "copied_from"}, 'disk: "empty" or "kept" is needed'),
            ({"what": "scale", "clients": 3}, "clients: the group has 3 clients already"),
            ({"what": "scale", "clients": 0}, "clients"),
            ({"what": "scale", "clients": 2}, "hosts: 0 clients on 0 hosts found, and 1 must be removed: name their hosts. The"),
            ({"what": "scale", "clients": 2, "hosts": ["app-1"]}, "hosts: 2 clients on 1 host found, and 1 must be removed"),
            ({"what": "scale", "clients": 5, "hosts": ["x"]}, "hosts: 1 were found, and 2 come"),
            ({"what": "change settings", "settings": "max.warmup.replicas"}, "settings: 'max.warmup.replicas' is set to nothing"),
            ({"what": "change settings", "settings": "max.warmup.replica=6"}, "settings: no Kafka release has"),
            ({"what": "change settings", "settings": f"consumer.sasl.jaas.config={SECRET}"}, "sasl.jaas.config holds a secret"),
            ({"what": "change settings", "settings": f"ssl.key.password={SECRET}"}, "settings: ssl.key.password holds a secret"),
            ({"what": "change settings", "settings": "max.warmup.replicas=0"}, "settings: max.warmup.replicas is 0"),
            ({"what": "change settings", "settings": "a=\\u00"}, "settings: the properties contain an invalid"),
            ({"what": "upgrade Kafka Streams", "kafka_release": "9.9.9"}, "9.9.9"),
            ({"what": "upgrade Kafka Streams", "kafka_release": "2.7.2"}, "kafka_release: the group runs 2.7.2 already"),
            ({"what": "upgrade Kafka Streams", "kafka_release": "2.6.1"}, "kafka_release: 2.6.1 is older than 2.7.2"),
            ({"what": "stop and start all", "minutes": -1}, "minutes: a number of minutes above 0"),
            ({"what": "stop and start all", "minutes": True}, "minutes: a number of minutes above 0"),
        ],
        ids=str,
    )  # fmt: skip
    def test_name_the_field_and_what_is_needed(self, form: dict[str, object], said: str) -> None:
        message = refusal(**form)

        assert said in message
        assert SECRET not in message


@pytest.mark.parametrize(
    "form",
    [
        {"what": "replace a host", "hosts": ["a"], "new_host": "b", "disk": "kept", "threads": 2},
        {"what": "scale", "clients": 3, "hosts": "a, b\nc"},
        {"what": "change settings", "settings": "max.warmup.replicas=6\nrack.aware.assignment.tags=\nclient.id=a\\ b"},
        {"what": "upgrade Kafka Streams", "kafka_release": "3.9.1", "at_once": 2},
        {"what": "stop and start all", "minutes": 1.5},
    ],
)
def test_a_request_is_written_as_a_form_that_is_read_as_the_same(form: Document) -> None:
    found = request_from_form(form)

    assert request_from_form(REQUEST.write(found)) == found
    assert list(Draft202012Validator(REQUEST.shape()).iter_errors(form)) == []
    assert found.what == form["what"]
