"""What a plan does not know, and what to give so that the next one does."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from holdfast.rollout.contract.unknown_inputs import Unknown


class Give(StrEnum):
    """What would settle it: something to say, a right, or a look."""

    RELEASE = "release"
    SETTINGS = "settings"
    CHANGELOGS = "changelogs"
    DISKS = "disks"
    GENERATIONS = "generations"
    STORES = "stores"
    LOOK = "look"


WORDS: Mapping[Give, str] = {
    Give.RELEASE: "the release (--kafka-release; kafka_release of the group in the connection)",
    Give.SETTINGS: "the application's settings (--app-config or --set; config of the group in the connection)",
    Give.CHANGELOGS: "its changelogs (--changelog; Describe on the topics <application.id>-*)",
    Give.DISKS: "the clients' state directories (--state-dir; state_dirs of the group in the connection)",
    Give.GENERATIONS: "the right Read on the topic __consumer_offsets",
    Give.STORES: "what the stores are (--stores; stores of the group in the connection)",
    Give.LOOK: "review by a person of the items under *Unknown*: no input resolves them",
}
"""Each as an option of `holdfast snapshot` and as its place in a connection."""

_BY_FIELD: tuple[tuple[str, Give], ...] = (
    ("kafka_release", Give.RELEASE),
    ("config", Give.SETTINGS),
    ("task_assignor", Give.SETTINGS),
    ("tasks", Give.CHANGELOGS),
    ("state_directories", Give.DISKS),
    ("clients", Give.DISKS),
    ("leader_process_id", Give.GENERATIONS),
    ("generations", Give.GENERATIONS),
    ("stores", Give.STORES),
)
"""By the first part of what an `Unknown` names, in the contract's words."""


def to_give(unknown: Iterable[Unknown]) -> tuple[Give, ...]:
    """Each once, in the order of `Give`."""
    fields = dict(_BY_FIELD)
    found = {fields.get(one.what.partition(".")[0], Give.LOOK) for one in unknown}
    return tuple(one for one in Give if one in found)
