"""JSON Schema of a Policy."""

from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.json import shapes
from holdfast.rollout.json.shapes import Shape, closed, items, nullable, one_of, with_defaults
from holdfast.rollout.policy import defaults
from holdfast.rollout.policy.hours import DAYS
from holdfast.rollout.policy.json import AT_LEAST_ONE, MOST_WINDOWS, OPTIONAL_LIMITS, most_of
from holdfast.rollout.policy.policy import LEAST_REBALANCES, LEAST_SECONDS, RULES, Review
from holdfast.rollout.policy.rates import RateSource

DAY = one_of(DAYS)


def _limit(field: str, about: str) -> Shape:
    shape = shapes.integer(1 if field in AT_LEAST_ONE else 0, most_of(field))
    return nullable(shape, about) if field in OPTIONAL_LIMITS else shape | {"description": about}


_LIMITS = {
    "moved_percent_most": "Stateful tasks, in percent, that leave untouched clients beyond what a new client must get.",
    "without_caught_up_copy_s_most": "Seconds that a task may be unavailable because no client has a caught-up copy.",
    "time_to_stable_s_most": f"Seconds until the last rebalance is over. Null: {LEAST_SECONDS:,}, or twice the probing"
    " intervals that one client's share of the tasks takes, whichever is more; the seconds of the change's own steps come on top.",
    "rebalances_most": "Rebalances beyond those that the requested change causes by itself. Null:"
    f" {LEAST_REBALANCES}, or two for each probing rebalance that one client's share of the tasks takes and two more,"
    " whichever is more.",
    "restored_bytes_most": "Bytes read back from changelogs. Null: no limit.",
    "restore_records_per_second": "How fast one client restores: an assumption until you have measured yours.",
    "restore_slowest": "The least that this speed may really be. Null: as its source says (assumed: a fifth; stated: exact).",
    "restore_fastest": "The most that this speed may really be. Null: as its source says (assumed: five times; stated: exact).",
    "restore_observations": "How many restores it was measured in. Null: it was not.",
    "start_up_s_least": "Seconds from the start of a client's process until it joins the group, at the least: an assumption.",
    "start_up_s": "The same as it usually is: an assumption until you state yours.",
    "start_up_s_most": "The same at the most: an assumption.",
    "start_up_observations": "In how many restarts the start-up was seen. Null: it was not.",
    "between_steps_s_most": "Seconds that may pass after each step until the next one is begun.",
    "copy_bytes_per_second": "How fast a state directory is copied. Null: not known, and so are the figures that depend on it.",
    "bytes_per_record": "The average size of a changelog record where the changelog is not measured. Null: not known.",
    "copy_state_over_s": "Seconds of downtime above which copying a whole disk is worth the manual work.",
    "valid_for_s": "Seconds after its snapshot for which a plan may be applied; a week at most.",
    "moved_in_all_percent_most": "Stateful tasks, in percent, that migrate for any reason. Null: no limit.",
    "without_caught_up_copy_tasks_most": "Tasks that may be unavailable at the same time. Null: no limit.",
    "restored_bytes_per_hour_most": "Bytes read back from changelogs in any one hour. Null: no limit.",
    "disk_free_bytes_least": "Bytes that must stay free on every client's disk. Null: none, and only disks that were seen count.",
    "copies_on_one_client_percent_most": "Copies of stateful tasks on one client, in percent of an even share. Null: no limit.",
}


_window = closed({"from": shapes.TIME_OF_DAY, "to": shapes.TIME_OF_DAY}, {"days": items(DAY)})


POLICY: Shape = closed(
    {"format_version": shapes.FORMAT_VERSION},
    {field: _limit(field, about) for field, about in _LIMITS.items()}
    | {
        "finish_before": nullable(
            shapes.text(), "A time of day (06:00Z), a moment, or a time from now (90 min, 2 h). Null: no limit."
        ),
        "restore_rate_source": shapes.one_of(
            RateSource, "Where the restore speed comes from. Left out: the policy where it states one, else an assumption."
        ),
        "windows": items(_window, "When a rollout may run: from, to, and on which days (mon to sun). None: at any time.")
        | {"maxItems": MOST_WINDOWS},
        "actions": nullable(items(shapes.one_of(ActionName)), "The actions that steps may ask for. Null: all."),
        "untouchable_hosts": items(shapes.text(), "Hosts on which no step may do anything."),
        "review": shapes.one_of(Review, "When a person must review. Never: a plan that needs review is blocked."),
        "four_eyes": shapes.boolean("Whether a person other than the requester must approve a plan. The requester may reject it."),
        "blocking": items(shapes.one_of(RULES), "Rules whose failure stops a plan; left out: those whose limit this file states."),
        "exclude": items(shapes.text(), "Options that are not possible here, by name."),
        "allow": items(shapes.text(), "Options that are recommended only if they are listed here, by name."),
    },
    "The limits of a team. What is left out is Holdfast's own.",
)


POLICY = with_defaults(POLICY, defaults.POLICY)
