"""The form of `compare_protocols`: a group, and how often it is deployed."""

from airflow.sdk import Param

from holdfast.airflow_wiring.form import group_fields

MOST_MONTHLY, MOST_SEED, MOST_TIMES = 100_000, 1_000_000, 1_000
"""`comparison.MOST_MONTHLY`, and what the command line takes: a form imports no model."""
FIELDS = ("restarts", "replacements", "scale_outs", "scale_ins")
"""In the order of `comparison.DeployKind`."""
_EMPTY = " Empty: counted in the group's past, where the lake or the snapshot has one of a day or longer; else one."


def fields() -> dict[str, Param]:
    """The parameters of the DAG, in the form's order."""
    return {
        **group_fields("The name of the cluster, as in the connection `holdfast_kafka_<cluster>`."),
        "restarts": _monthly("Rolling restarts", "Rolling restarts of all clients a month."),
        "replacements": _monthly("Hosts replaced", "Hosts replaced a month."),
        "scale_outs": _monthly("Scale-outs", "Clients added a month, one at a time."),
        "scale_ins": _monthly("Scale-ins", "Clients removed a month, one at a time."),
        "snapshot": Param(
            None,
            type=["null", "string"],
            maxLength=1_000,
            section="More",
            title="Snapshot",
            description="The ID of a snapshot in the lake. Empty: the group's newest one there. No broker is asked.",
        ),
        "seed": Param(
            0, type="integer", minimum=0, maximum=MOST_SEED, section="More", title="Seed",
            description="Of the random IDs that are drawn: the same snapshot and seed give the same figures.",
        ),
        "work": Param(
            1, type="integer", minimum=1, maximum=MOST_TIMES, section="More", title="Work",
            description="Allow this many times the default work: more draws for a large group.",
        ),
    }  # fmt: skip


def _monthly(title: str, about: str) -> Param:
    return Param(None, type=["null", "number"], minimum=0, maximum=MOST_MONTHLY, title=title, description=about + _EMPTY)
