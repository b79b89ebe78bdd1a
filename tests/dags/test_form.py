"""What the form of plan_rollout refuses and suggests; the rest is in `tests/unit/rollout/streams/change/test_request.py`."""

import json
from typing import Any

import pytest
from airflow.sdk.exceptions import ParamValidationError
from tests.harness import plain_groups

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring import form, planning
from holdfast.errors import InvalidInput
from holdfast.rollout.contract.requests import FORM, What
from holdfast.rollout.json.strict import loads
from holdfast.rollout.kinds import any_document
from holdfast.rollout.kinds.verbs import VERBS
from holdfast.workflows import snapshots

EVENTS = [{"stop_application": {"minutes": 5}}]


def filled(**given: object) -> dict[str, Any]:
    """As the trigger checks them, one by one."""
    values = {name: param.resolve() for name, param in form.fields().items()}
    return values | {name: form.fields()[name].resolve(value) for name, value in given.items()}


def test_has_the_fields_that_are_read() -> None:
    assert set(FORM) <= set(form.fields())
    assert tuple(form.CHANGE_TYPES) == tuple(What)
    verbs = form.fields()["change"].schema["properties"]["events"]["items"]["propertyNames"]["enum"]
    assert verbs == list(VERBS)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"cluster": ""}, "''"),
        ({"cluster": " "}, "' '"),
        ({"group": 7}, "7 is not of type 'string'"),
        ({"what": "explode"}, "'explode' is not one of"),
        ({"hosts": "app-0"}, "'app-0' is not of type"),
        ({"hosts": [""]}, "''"),
        ({"disk": "full"}, "'full' is not one of"),
        ({"clients": 0}, "0 is less than the minimum of 1"),
        ({"clients": "five"}, "'five' is not of type"),
        ({"at_once": 1.5}, "1.5 is not of type"),
        ({"kafka_release": "9.9.9"}, "'9.9.9' is not one of"),
        ({"settings": "a=b\n consumer.sasl.jaas.config = x"}, "should not be valid"),
        ({"settings": "ssl.key.password: x"}, "should not be valid"),
        ({"settings": "a=b\nSSL.KEY.Password=x"}, "should not be valid"),
        ({"settings": "ssl.key.pass\\\n word=x"}, "should not be valid"),
        ({"settings": "ssl.key.\\u0070assword=x"}, "should not be valid"),
        ({"settings": "ssl.key.p\uff41ssword=x"}, "should not be valid"),
        ({"settings": "bootstrap.servers=me:x@b:9092"}, "should not be valid"),
        ({"change": {"format_version": "1.0", "events": [{"set_config": {"a.Password": "x"}}]}}, "should not be valid"),
        ({"change": {"format_version": "1.0", "events": [{"set_config": {"a": "s3::sftp://me:x@h/"}}]}}, "should not be valid"),
        ({"policy": {"untouchable_hosts": ["me:x@h:9092"]}}, "should not be valid"),
        ({"policy": "a: 1\nssl.key.password: x"}, "should not be valid"),
        ({"minutes": 0}, "0 is less than or equal to the minimum of 0"),
        ({"change": {"events": []}}, "'format_version' is a required property"),
        ({"change": {"format_version": "1.0", "events": [{"explode": {}}]}}, "'explode' is not one of"),
        ({"change": [1]}, r"\[1\] is not of type"),
        ({"policy": 3}, "3 is not of type"),
    ],
    ids=str,
)
def test_is_refused_when_it_is_sent(given: dict[str, object], said: str) -> None:
    with pytest.raises(ParamValidationError, match=said):
        filled(**given)


def test_settings_that_are_no_secrets_are_taken() -> None:
    for settings in ("max.warmup.replicas=6", "# not sasl.jaas.config\nnum.standby.replicas=1", None):
        assert filled(settings=settings)["settings"] == settings


def test_means_the_change_that_it_has_always_taken(recorded: str) -> None:
    document = {"format_version": "1.0", "events": EVENTS}
    draft = planning.draft("run", filled(cluster="local", group="streams-wordcount", snapshot=recorded, change=document))

    assert change_of(draft) == EVENTS


def test_means_a_change_by_a_few_fields(recorded: str) -> None:
    """The form makes {} of documents that are looked at and left empty."""
    few = {"what": "stop and start all", "minutes": 5, "change": {}, "policy": {}}
    values = filled(cluster="local", group="streams-wordcount", snapshot=recorded, **few)

    assert change_of(planning.draft("run", values)) == EVENTS


def test_means_a_change_to_a_plain_group_where_that_makes_sense(lake: FsspecLake) -> None:
    document = plain_groups.group({"m-1": plain_groups.member(0, 1, 2, 3, 4, 5)}, cluster="local")
    kept = snapshots.keep(lake, any_document.snapshot_from_json(document | {"captured_at": "2026-11-20T12:00:00Z"}))
    given = {"cluster": "local", "group": "billing", "snapshot": kept}
    (restart,) = change_of(planning.draft("run", filled(**given, what="rolling restart")))

    assert restart["restart_consumer"]["member_id"] == "m-1"
    with pytest.raises(InvalidInput, match=r"what: 'billing' is a consumer group without Kafka Streams.*Change document"):
        planning.draft("another run", filled(**given, what="stop and start all", minutes=5))


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (
            {"remove_client": {"process_id": "00000000-0000-0000-0000-000000000007"}},
            r"^change\.events\[0\]\.remove_client\.process_id: ",
        ),
        ({"rolling_restart": {"set_config": {"max.warmup.replica": 6}}}, r"^change\.events\[0\]: no Kafka release has"),
        (
            {"set_config": {"sasl.jaas.config": "x"}},
            r"^change\.events\[0\]\.set_config\.sasl\.jaas\.config: is the name of a secret",
        ),
    ],
    ids=["a stranger", "a misspelt setting", "a secret"],
)
def test_a_change_that_does_not_fit_fails_the_first_task(recorded: str, event: dict[str, object], said: str) -> None:
    document = {"format_version": "1.0", "events": [event]}
    given = filled(cluster="local", group="streams-wordcount", snapshot=recorded) | {"change": document}  # as if it had passed

    with pytest.raises(InvalidInput, match=said):
        planning.draft("run", given)


def change_of(draft: str) -> Any:
    from holdfast.airflow_wiring.airflow_objects import lake

    return loads(lake().read((*draft.split("/"), "change.json"), 10**6))["events"]


SECRET = "open-sesame-4711"


def test_suggests_what_the_environment_names_and_nothing_secret() -> None:
    extras = {"bootstrap.servers": "b:9092", "sasl.jaas.config": SECRET, "groups": {"orders": {}, "eu-*": {}}}
    environment = {
        "AIRFLOW_VAR_HOLDFAST_CLUSTERS": '["prod", "eu"]',
        "AIRFLOW_CONN_HOLDFAST_KAFKA_PROD": json.dumps({"conn_type": "generic", "extra": json.dumps(extras)}),
        "AIRFLOW_CONN_HOLDFAST_KAFKA_TEST": "generic://b?x=y",
        "AIRFLOW_CONN_OTHER": json.dumps({"extra": {"groups": {"theirs": {}}}}),
    }

    assert form.suggested(environment) == (["prod", "eu", "test"], ["orders"])
    assert form.suggested({"AIRFLOW_VAR_HOLDFAST_CLUSTERS": "{"}) == ([], [])
    assert SECRET not in str(form.suggested(environment))
