"""Settings are kept by their values and types: what Kafka refuses is refused every time."""

from dataclasses import replace

import pytest
from tests.harness.article import AFTER, group
from tests.harness.plans import read

from holdfast.errors import InvalidInput
from holdfast.rollout.streams.snapshot.groups import settings_of


def test_settings_that_are_equal_but_of_another_type_are_read_anew() -> None:
    one, true = (replace(read(group(AFTER)), config=(("num.standby.replicas", value),)) for value in (1, True))

    assert settings_of(one, "3.9.1").num_standby_replicas == 1
    with pytest.raises(InvalidInput, match=r"num\.standby\.replicas"):
        settings_of(true, "3.9.1")
    assert settings_of(one, "2.8.2") is settings_of(one, "2.8.2")


def test_many_settings_are_not_kept() -> None:
    many = replace(read(group(AFTER)), config=tuple((f"client.tag.{number}", "x") for number in range(40)))

    assert settings_of(many, "3.9.1") is not settings_of(many, "3.9.1")
