"""What a new snapshot shows of waits and of configs of a group whose broker assigns, whatever it assigns."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from holdfast.rollout.contract.group_state import STABLE
from holdfast.rollout.contract.plan_words import setting
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.execution.step_evidence import Evidence, Shown, evidence
from holdfast.rollout.facts.step_sightings import Sees
from holdfast.rollout.json.kafka import ConfigValue


class Group(Protocol):
    @property
    def group_state(self) -> str | None: ...
    @property
    def config(self) -> tuple[tuple[str, ConfigValue], ...]: ...
    @property
    def unknown(self) -> tuple[Unknown, ...]: ...


def waited(fresh: Group, open_before: bool, without_members: bool) -> Evidence:
    """`open_before`: a step before the wait is not shown; `without_members`: the steps leave none, and there are none."""
    if fresh.group_state not in (None, STABLE) and not without_members:
        return evidence(Shown.NOT_YET, Sees.STATE, fresh.group_state)
    if open_before:
        return evidence(Shown.NOT_YET, Sees.STEP_BEFORE)
    if without_members:
        return evidence(Shown.HAPPENED, Sees.NO_MEMBERS)
    return evidence(Shown.HAPPENED, Sees.STABLE)


def configured(
    settings: Sequence[tuple[str, ConfigValue]], set_later: Collection[str], fresh: Group, defaults: Mapping[str, object]
) -> Evidence:
    """`set_later`: the keys that later steps set."""
    named = ", ".join(f"{key}={setting(value)}" for key, value in settings)
    if any(one.what == "config" for one in fresh.unknown):
        return evidence(Shown.CANNOT_SHOW, Sees.CONFIG_UNKNOWN, named)
    if all(is_set(fresh, key, value, defaults) for key, value in settings):
        return evidence(Shown.HAPPENED, Sees.CONFIG, named)
    if any(key in set_later for key, _ in settings):
        return evidence(Shown.CANNOT_SHOW, Sees.CONFIG_LATER, named)
    return evidence(Shown.NOT_YET, Sees.CONFIG_NOT_YET, named)


def is_set(fresh: Group, key: str, value: ConfigValue, defaults: Mapping[str, object]) -> bool:
    """Whether the group has this value; None: the brokers' default."""
    found = dict(fresh.config).get(key)
    if value is not None:
        return str(found) == str(value)
    of_brokers = any(one.what == f"config.{key}" for one in fresh.unknown)
    return found is None or of_brokers or str(found) == str(defaults.get(key))
