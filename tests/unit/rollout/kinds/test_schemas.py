"""What the schemas say of a field that is left out is what the readers take it for."""

from typing import Any

import pytest
from tests.harness.article import A, change

from holdfast.kafka.streams import config
from holdfast.rollout.kinds.schemas import schema_of
from holdfast.rollout.policy.json import POLICY, policy_from_json
from holdfast.rollout.streams.change.change import CHANGE
from holdfast.rollout.streams.change.json import change_from_json
from holdfast.rollout.streams.events import table
from holdfast.rollout.streams.snapshot.defaults import SETTINGS

ASSUME = CHANGE.shape()["properties"]["assume"]
EVENTS = CHANGE.shape()["properties"]["events"]["items"]["properties"]
LEAST: dict[str, Any] = {
    "add_client": {"process_id": None, "threads": 1},
    "add_partitions": {"topic": "t", "partitions": 2},
    "remove_client": {"process_id": A},
    "replace_client": {"process_id": A, "by": {"process_id": None}},
    "restart_client": {"process_id": A},
    "rolling_restart": {},
    "set_threads": {"process_id": A, "threads": 1},
    "set_topology": {"tasks": {"0_0": {"partitions": [["t", 0]], "changelogs": []}}},
}
GIVEN = {"threads": "add_client", "process_id": "", "client": "", "clients": "", "set_config": "rolling_restart"}
"""Fields without a default of their own: who is meant, what is rolled out, and the threads of a client that is added."""


def fields_of(shape: Any) -> dict[str, Any]:
    return {field: about["default"] for field, about in shape["properties"].items() if "default" in about}


def requested(verb: str, content: object) -> object:
    return change_from_json(change({verb: content}))


@pytest.mark.parametrize("verb", LEAST)
def test_an_event_means_the_same_with_each_default_said(verb: str) -> None:
    least = LEAST[verb]
    for field, value in fields_of(EVENTS[verb]).items():
        if field not in least:
            assert requested(verb, least | {field: value}) == requested(verb, least), field


@pytest.mark.parametrize("verb", sorted(set(table.by_verb()) - {"set_config"}))
def test_every_field_that_may_be_left_out_has_one(verb: str) -> None:
    shape = EVENTS[verb]
    optional = set(shape.get("properties", {})) - set(shape.get("required", ()))
    assert optional - set(fields_of(shape)) <= set(GIVEN)


def test_of_a_replacement() -> None:
    by = EVENTS["replace_client"]["properties"]["by"]
    for field, value in fields_of(by).items():
        said = LEAST["replace_client"] | {"by": {"process_id": None, field: value}}
        assert requested("replace_client", said) == requested("replace_client", LEAST["replace_client"])
    assert set(by["properties"]) - set(fields_of(by)) == {"process_id", "host", "rack", "client_tags"}
    assert "old client" in by["description"]


def test_of_assumptions() -> None:
    least = change_from_json(change())
    for field, value in fields_of(ASSUME).items():
        assert change_from_json(change(assume={field: value})) == least
    assert set(fields_of(ASSUME)) == set(ASSUME["properties"])
    assert change_from_json(change(assume=schema_of("change")["properties"]["assume"]["default"])) == least  # type: ignore[index]


def test_of_a_policy() -> None:
    least = {"format_version": "1.0"}
    for field, value in fields_of(POLICY.shape()).items():
        if field in ("valid_for_s", "restore_records_per_second") or "most" in field or "least" in field:
            continue  # who states a limit means it: the value is the same, and its rule blocks
        assert policy_from_json(least | {field: value}) == policy_from_json(least), field
    for field, value in fields_of(POLICY.shape()).items():
        assert getattr(policy_from_json(least | {field: value}), field) == getattr(policy_from_json(least), field), field
    assert set(POLICY.shape()["properties"]) - set(fields_of(POLICY.shape())) == {
        "format_version",
        "blocking",
        "restore_rate_source",
    }


def test_of_settings() -> None:
    said = {key: tuple(one) if isinstance(one, list) else one for key, one in SETTINGS.items()}
    assert config.read("3.9.1", said) == config.read("3.9.1", {})  # type: ignore[arg-type]
    assert set(schema_of("snapshot")["properties"]["config"]["properties"]) == set(SETTINGS)  # type: ignore[index]
