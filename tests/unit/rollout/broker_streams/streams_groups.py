"""A small streams group and changes to it, as their documents."""

from typing import Any

from holdfast.rollout.contract.rebalances import Detail
from holdfast.workflows.forecast import forecast_case

Case = dict[str, Any]


def snapshot(**differs: Any) -> Case:
    """Three clients (a, b, c) of two threads each, six stateful and six stateless tasks, settled."""
    members = {
        f"{process}{thread}": {
            "process_id": process,
            "host": f"host-{process}",
            "assignment": {"active": [f"0_{2 * number + thread}", f"1_{2 * number + thread}"]},
            "target": {"active": [f"0_{2 * number + thread}", f"1_{2 * number + thread}"]},
        }
        for number, process in enumerate("abc")
        for thread in range(2)
    }
    return {
        "format_version": "1.0",
        "protocol": "streams",
        "group_id": "shop",
        "broker_release": "4.3.1",
        "group_state": "Stable",
        "group_epoch": 12,
        "assignment_epoch": 12,
        "config": {"streams.num.standby.replicas": 0},
        "topology": {
            "epoch": 0,
            "subtopologies": {
                "0": {"source_topics": ["orders"], "repartition_sink_topics": ["by-id"]},
                "1": {"source_topics": ["users"], "changelog_topics": ["counts"]},
            },
        },
        "topics": {
            name: {"partitions": [{"id": number} for number in range(6)]} for name in ("orders", "users", "by-id", "counts")
        },
        "members": members,
    } | differs


def forecast(*events: Case, of: Case | None = None, detail: Detail = Detail.FULL) -> Case:
    change = {"format_version": "1.0", "events": list(events)}
    return forecast_case({"snapshot": of or snapshot(), "change": change}, detail)


def targets(*events: Case, of: Case | None = None) -> list[Case]:
    answer: Any = forecast(*events, of=of)
    return answer["outcomes"][0]["targets"]


def course(*events: Case, of: Case | None = None) -> list[tuple[str, int | None, frozenset[str]]]:
    """Trigger, epoch and members of each target."""
    return [(one["trigger"], one["group_epoch"], frozenset(one["assignment"]["members"])) for one in targets(*events, of=of)]
