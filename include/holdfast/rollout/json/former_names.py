"""Names in documents and tables that former versions of Holdfast wrote. They are read as the present names.

A plan is approved by its bytes, so a plan of format 1.0 is written with the names that it was read with.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self

from holdfast.rollout.json import strict

PRESENT: Mapping[str, str] = {
    "on the way": "in progress",
    "fresh ID, likeliest": "new random ID, likeliest",
    "fresh ID, worst": "new random ID, worst",
    "moved-without-need": "collateral-migration",
    "standing-still": "partition-downtime",
    "plainly": "baseline",
    "no handwork beyond the change itself": "no manual work beyond the change itself",
    "each client gets a setting of its own": "one setting per client",
    "every client restarts twice more": "two more restarts of every client",
    "a whole state directory is copied while nobody runs on it": "a whole state directory is copied while its client is stopped",
    "every client restarts twice more, and the whole state is restored a second time, on other disks": (
        "two more restarts of every client, and all state is restored a second time, on other disks"
    ),
    "every client's local state is deleted, and all of it restored": (
        "the local state of every client is deleted, and all of it restored"
    ),
}


class Renamed(StrEnum):
    """Values that had other names in former versions."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        present = PRESENT.get(str(value))
        return None if present is None else cls(present)


FORMER = {present: former for former, present in PRESENT.items()}
_A_NAME: dict[str, Any] = {}
"""A place that has a name, or a list of names."""
_POLICY = {"blocking": _A_NAME, "exclude": _A_NAME, "allow": _A_NAME}
_RULES = {"name": _A_NAME}
_PLAN = {
    "chosen": _A_NAME,
    "rules": _RULES,
    "blocked": {"check": _A_NAME},
    "candidates": {"name": _A_NAME, "effort": _A_NAME, "rules": _RULES, "reason": {"limits": _A_NAME}},
    "policy": _POLICY,
}
FORMAT = "1.0"
"""Of plans with these names."""
PLAN_VERSION = "1.1"
"""Of plans. 1.1: the present names of options, policy checks and efforts."""


def is_former(plan: object) -> bool:
    """Whether a plan's document has former names."""
    return isinstance(plan, dict) and plan.get("format_version") == FORMAT


def present_plan(document: object) -> object:
    return _renamed(document, _PLAN, PRESENT) if is_former(document) else document


def written_plan(document: dict[str, object], *, former: bool) -> dict[str, object]:
    """`former`: it was written in format 1.0, and is again."""
    if not former:
        return document
    return {**strict.mapping(_renamed(document, _PLAN, FORMER)), "format_version": FORMAT}


def present_policy(document: object) -> object:
    return _renamed(document, _POLICY, PRESENT)


def _renamed(found: object, places: Mapping[str, Any], names: Mapping[str, str]) -> object:
    if isinstance(found, list | tuple):
        return [_renamed(one, places, names) for one in found]
    if isinstance(found, dict):
        return {key: _renamed(value, places[key], names) if key in places else value for key, value in found.items()}
    return names.get(found, found) if isinstance(found, str) and not places else found
