"""The form of `plan_rollout`: what to plan for, in a few fields, or as a Change document.

What a JSON Schema can refuse is refused when the DAG is triggered; what needs the group, or two fields, in the first airflow task.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from airflow.sdk import Param

from holdfast.airflow_wiring.airflow_objects import CLUSTERS_VARIABLE, KAFKA_CONNECTION, WHICH_SNAPSHOT, address
from holdfast.kafka.release import RELEASES
from holdfast.kafka.streams import config_check

MOST_SUGGESTED = 200

CHANGE_TYPES = {
    "replace a host": "Replace a host",
    "scale": "Scale to a number of clients",
    "rolling restart": "Rolling restart",
    "change settings": "Change settings of Kafka Streams",
    "upgrade Kafka Streams": "Upgrade Kafka Streams",
    "stop and start all": "Stop and start all clients",
    "move to the streams protocol": "Move to the streams protocol (KIP-1071)",
    "move to the consumer protocol": "Move to the consumer protocol (KIP-848)",
}
ABOUT_CLUSTER = """**[Plan a rollout]({page})** has the same fields, offers the group's hosts and settings to select from,
and checks the request before it is sent.

The name of the cluster, as in the connection `holdfast_kafka_<cluster>`."""
WHAT = """Change type. It needs:

- **Replace a host**: *Hosts*, one host; optional in *Details*: the new host's name and the state on its disk
- **Scale**: *Clients*; to scale in, also *Hosts*: the hosts to remove
- **Rolling restart**, **Move to the consumer protocol**: nothing; *Hosts* for a part of the group
- **Change settings**, **Upgrade**, **Stop and start**, **Move to the streams protocol**: the fields in *Details*

Other changes: a Change document under *Custom (JSON)*."""
EXAMPLE = """```json
{"format_version": "1.0", "events": [
  {"replace_client": {"process_id": "bbb83e43-b1af-4b2d-a60a-94a7091684d0",
                      "by": {"process_id": null, "threads": 2}, "state": "empty"}}]}
```"""
DETAILS, DOCUMENT = "Details: new host, disk, threads, settings, release, minutes", "Custom (JSON): a Change document"
_ANY_CASE = "|".join(
    "".join(f"[{each}{each.upper()}]" if each.isalpha() else re.escape(each) for each in word)
    for word in (*config_check.secret_keys(), "password", "passwd", "passphrase", "secret", "token", "credentials", "user.info")
)
_IN_A_TEXT = r"://[^\s/]*@|[^\s:/@=,]:[^\s:/@,]+@|[pP][aA][sS][sS][wW][oO][rR][dD]\s*=\s*\S|PRIVATE KEY"
"""An address with a user, a password of a login module, a key."""
_SECRET = (
    rf"(^|[\r\n])[ \t\f]*[A-Za-z0-9._-]*({_ANY_CASE})[ \t\f]*[=:\s]"  # a line that sets one
    r"|(^|[\r\n])[ \t\f]*(?![#!\s])[^=:\r\n]*(\\|[^\x00-\x7f])|\\u|\\[\r\n]"  # escapes, other letters, lines that go on
    rf"|{_IN_A_TEXT}"
)
"""Airflow keeps the parameters of its runs, and shows them; it refuses this when it is sent."""
_CLEAN: Mapping[str, Any] = {
    "propertyNames": {"not": {"pattern": rf"({_ANY_CASE})s?$|[^\x00-\x7f]"}},
    "additionalProperties": {"$ref": "#/$defs/clean"},
    "items": {"$ref": "#/$defs/clean"},
    "not": {"type": "string", "pattern": rf"({_ANY_CASE})s?[\"']?\s*[:=]|\\[uxU]|{_IN_A_TEXT}"},
}
"""The same in a document, at any depth."""
_WITHOUT_SECRETS: Mapping[str, Any] = {"allOf": [{"$ref": "#/$defs/clean"}], "$defs": {"clean": _CLEAN}}


def _known(environment: Any = os.environ) -> Iterator[tuple[str, list[str]]]:
    """Clusters and their groups that the environment names; what only Airflow's database knows is not read for a form.

    Nothing but names is taken: the connections hold secrets.
    """
    clusters = _json(environment.get(f"AIRFLOW_VAR_{CLUSTERS_VARIABLE.upper()}", ""))
    yield from ((name, []) for name in (clusters if isinstance(clusters, list) else ()) if isinstance(name, str))
    prefix = f"AIRFLOW_CONN_{KAFKA_CONNECTION.upper()}"
    for variable in sorted(name for name in environment if name.startswith(prefix)):
        connection = _json(environment[variable])
        extras = connection.get("extra") if isinstance(connection, dict) else None
        extras = _json(extras) if isinstance(extras, str) else extras
        groups = extras.get("groups") if isinstance(extras, dict) else None
        yield variable.removeprefix(prefix).lower(), [one for one in groups or () if not re.search(r"[*?\[]", str(one))]


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def suggested(environment: Any = os.environ) -> tuple[list[str], list[str]]:
    """Names of clusters and of groups, as suggestions while typing."""
    known = [*_known(environment)]
    clusters = dict.fromkeys(name for name, _ in known)
    groups = dict.fromkeys(str(group) for _, named in known for group in named)
    return [*clusters][:MOST_SUGGESTED], [*groups][:MOST_SUGGESTED]


def group_fields(about_cluster: str) -> dict[str, Param]:
    """Cluster and group."""
    clusters, groups = suggested()
    return {
        "cluster": _name("local", "Cluster", about_cluster, clusters),
        "group": _name("streams-wordcount", "Group", "The `application.id`, or `group.id`.", groups),
    }


def fields() -> dict[str, Param]:
    """The parameters of the DAG, in the form's order."""
    return {
        **group_fields(ABOUT_CLUSTER.format(page=address("/holdfast/new"))),
        "what": Param(
            "replace a host", type="string", enum=[*CHANGE_TYPES], values_display=CHANGE_TYPES, title="Change type",
            description_md=WHAT,
        ),
        "hosts": Param(
            [], type=["array", "null"], items={"type": "string", "minLength": 1, "maxLength": 255}, maxItems=1_000,
            title="Hosts", description="One host per line, as Kafka reports it, or the process ID of its client.",
        ),
        "clients": _count("Clients", "Scale: the target number of clients.", 1_000),
        "new_host": Param(
            None, type=["null", "string"], minLength=1, maxLength=255, section=DETAILS, title="New host",
            description="Replace a host: the new host's name. Empty: the same name.",
        ),
        "disk": Param(
            None, type=["null", "string"], enum=[None, "empty", "kept"], section=DETAILS, title="Disk of the new host",
            values_display={"null": "Default: empty", "empty": "Empty", "kept": "The old host's disk, moved"},
            description="Replace a host: the state on the new host's disk.",
        ),
        "threads": _count("Threads", "Stream threads of each new client. Empty: as before.", 10_000, DETAILS),
        "at_once": _count("Restarts at a time", "Clients that restart at the same time. Empty: one.", 10_000, DETAILS),
        "settings": Param(
            None, type=["null", "string"], format="multiline", maxLength=10_000, section=DETAILS, title="Settings",
            description="Change settings: one per line, as in a properties file, such as max.warmup.replicas=6. No secrets: "
            "Airflow stores and shows the form, and logs even what it refuses.",
            **{"not": {"type": "string", "pattern": _SECRET}},
        ),
        "kafka_release": Param(
            None, type=["null", "string"], enum=[None, *reversed(RELEASES)], section=DETAILS, title="Release",
            values_display={"null": "Unchanged"},
            description="Upgrade: the target release of Kafka Streams. Move: the release that clients start with.",
        ),
        "broker_release": Param(
            None, type=["null", "string"], minLength=1, maxLength=40, section=DETAILS, title="Release of the brokers",
            description="Move to the streams protocol: Kafka of the group's brokers, such as 4.3.1.",
        ),
        "minutes": Param(
            None, type=["null", "number"], exclusiveMinimum=0, maximum=1_000_000, section=DETAILS, title="Minutes",
            description="Stop and start all: minutes stopped.",
        ),
        "change": Param(
            None, type=["object", "null"], section=DOCUMENT, title="Change",
            **_WITHOUT_SECRETS,
            **{"if": {"minProperties": 1}, "then": {"required": ["format_version", "events"]}},  # the form makes {} of nothing
            properties={
                "format_version": {"type": "string"},
                "events": {"type": "array", "items": _one_event()},
            },
            description_md=f"A Change document (docs/changes.md). Empty: the fields above. Example:\n\n{EXAMPLE}",
        ),
        "policy": Param(
            None, type=["null", "object", "string"], section="Limits", title="Policy",
            description="A Policy document or its YAML, no less strict than the team's. Empty: the team's, or the defaults.",
            **_WITHOUT_SECRETS,
        ),
        "snapshot": WHICH_SNAPSHOT,
    }  # fmt: skip


def _one_event() -> Mapping[str, Any]:
    from holdfast.rollout.kinds.verbs import VERBS

    return {"type": "object", "minProperties": 1, "propertyNames": {"enum": list(VERBS)}}


def _name(default: str, title: str, about: str, known: list[str]) -> Param:
    suggestions = {"examples": known} if known else {}
    return Param(
        known[0] if len(known) == 1 else default,
        type="string", minLength=1, maxLength=249, pattern=r"\S", title=title, description_md=about, **suggestions,
    )  # fmt: skip


def _count(title: str, about: str, most: int, section: str | None = None) -> Param:
    where = {"section": section} if section else {}
    return Param(None, type=["null", "integer"], minimum=1, maximum=most, title=title, description=about, **where)
