"""JSON Schema of what plans of every kind of group have: rules, times, effort, settings."""

from holdfast.kafka import java
from holdfast.rollout.contract.times import ConditionKind, PhaseKind
from holdfast.rollout.contract.verdicts import Status
from holdfast.rollout.json import shapes
from holdfast.rollout.json.shapes import CONFIG_VALUE, closed, count, items, nullable, one_of, text

RULE = closed(
    {"name": shapes.name(), "found": text(), "limit": text(), "status": one_of(Status), "blocking": shapes.boolean()},
)


span = shapes.row(count(), count(), about="[low, high]")


ESTIMATE = shapes.row(count(), count(), count(), about="Seconds from the first act: [at least, usually, at most].")
CONDITION = closed(
    {
        "kind": one_of(ConditionKind),
        "within_s": count(),
        "directories": count(),
        "tasks": count(),
        "records": count(),
        "bytes": nullable(count()),
        "met": nullable(shapes.boolean(), "By the copy speed that the policy states; null: not known."),
        "otherwise_rebalancing_ends": nullable(ESTIMATE),
        "otherwise_restored": nullable(ESTIMATE),
        "otherwise_downtime_s": count(),
    },
    about="The other figures hold only if it is met.",
)
TIMES = closed(
    {
        "rebalancing_ends": nullable(ESTIMATE, "When the last rebalance is over. Null: never."),
        "restored": nullable(ESTIMATE, "When all state is restored, standby copies included. Null: never."),
    },
    {
        "condition": nullable(CONDITION),
        "phases": items(
            closed({"kind": one_of(PhaseKind), "seconds": ESTIMATE, "rebalance": nullable(shapes.integer(1, java.INT_MAX))}),
            "One after the other; `rebalance`: the number of the one that it is or leads to.",
        ),
        "rebalances": items(ESTIMATE, "When each is complete."),
    },
    "How long it takes, from the first act.",
)


ACT = closed(
    {
        "rebalances": count("That follow from it."),
        "starts": count("Clients that are started in it."),
        "noticed_s": count("The session timeout that has to pass."),
        "stopped_s": count(),
        "refresh_s": count(),
        "unseen": shapes.boolean("Static members that return before the group notices."),
    }
)
EFFORT_COUNTS = closed(
    {
        "restarts": count("Clients that are restarted where they are."),
        "manual_steps": count("Steps that people do."),
        "copies": count("State directories that are copied."),
        "files": count("Process-metadata files that are written."),
    }
)
SETTING = closed({"key": shapes.name(), "value": CONFIG_VALUE, "revert_to": CONFIG_VALUE, "note": text()})
