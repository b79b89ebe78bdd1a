"""The form of `plan_rollout`: what to plan for, in a few fields, or as a Change document.

What a JSON Schema can refuse is refused when the DAG is triggered; what needs the group, or two fields, in the first airflow task.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from airflow.sdk import Param

from holdfast.airflow_wiring.objects import CLUSTERS_VARIABLE, KAFKA_CONNECTION, WHICH_SNAPSHOT, address
from holdfast.kafka.release import RELEASES
from holdfast.kafka.streams import config_check

MOST_SUGGESTED = 200
VERBS = (
    "add_client", "add_partitions", "remove_client", "replace_client", "restart_client", "rolling_restart", "set_config",
    "set_release", "set_threads", "set_topology", "stop_application", "then",
    "add_consumer", "add_topic", "remove_consumer", "remove_topic", "replace_consumer", "restart_consumer", "set_assignors",
)  # fmt: skip
"""Of a Change's events, for groups of either kind."""

ASKED_FOR = {
    "replace a host": "Replace a host",
    "scale": "Scale to a number of clients",
    "rolling restart": "Restart, one after the other",
    "change settings": "Change settings of Kafka Streams",
    "upgrade Kafka Streams": "Go to another release of Kafka Streams",
    "stop and start all": "Stop everything for some minutes",
}
ABOUT_CLUSTER = """**[Plan a rollout]({page})** asks for the same with the group's own hosts and settings to choose from, and says
what is wrong before anything is sent.

The name of the cluster, as in the connection `holdfast_kafka_<cluster>`."""
WHAT = """What is to be done to the application. It asks for:

- **Replace a host**: *Hosts*, the one; in the next section its new name and what its disk holds, if that is known
- **Scale**: *Clients*; to fewer, also *Hosts*, those that go
- **Restart**: nothing; some only, under *Hosts*
- **Settings**, **release**, **stop**: what stands in the next section

Anything else: a Change document, further down."""
EXAMPLE = """```json
{"format_version": "1.0", "events": [
  {"replace_client": {"process_id": "bbb83e43-b1af-4b2d-a60a-94a7091684d0",
                      "by": {"process_id": null, "threads": 2}, "state": "empty"}}]}
```"""
DETAILS, DOCUMENT = "How: new host, disk, threads, settings, release, minutes", "Instead: a Change document"
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
    """Clusters and their groups as far as the environment names them; what only Airflow's database knows is not read for a form.

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
    """Names of clusters and of groups, for somebody who types."""
    known = [*_known(environment)]
    clusters = dict.fromkeys(name for name, _ in known)
    groups = dict.fromkeys(str(group) for _, named in known for group in named)
    return [*clusters][:MOST_SUGGESTED], [*groups][:MOST_SUGGESTED]


def fields() -> dict[str, Param]:
    """The parameters of the DAG, in the form's order."""
    clusters, groups = suggested()
    return {
        "cluster": _name("local", "Cluster", ABOUT_CLUSTER.format(page=address("/holdfast/new")), clusters),
        "group": _name("streams-wordcount", "Group", "The `application.id`, or `group.id`.", groups),
        "what": Param(
            "replace a host", type="string", enum=[*ASKED_FOR], values_display=ASKED_FOR, title="What", description_md=WHAT,
        ),
        "hosts": Param(
            [], type=["array", "null"], items={"type": "string", "minLength": 1, "maxLength": 255}, maxItems=1_000,
            title="Hosts", description="A host a line, as Kafka shows it, or the process ID of its client.",
        ),
        "clients": _count("Clients", "To scale: how many there are to be.", 1_000),
        "new_host": Param(
            None, type=["null", "string"], minLength=1, maxLength=255, section=DETAILS, title="New host",
            description="To replace a host: the new one's name. Empty: the same.",
        ),
        "disk": Param(
            None, type=["null", "string"], enum=[None, "empty", "kept"], section=DETAILS, title="Its disk",
            values_display={"null": "Not said: nothing", "empty": "Nothing", "kept": "The old host's disk"},
            description="To replace a host: what the new one finds on its disk.",
        ),
        "threads": _count("Threads", "Of each new client. Empty: as most have, or as the replaced one.", 10_000, DETAILS),
        "at_once": _count("At once", "So many clients restart together. Empty: one.", 10_000, DETAILS),
        "settings": Param(
            None, type=["null", "string"], format="multiline", maxLength=10_000, section=DETAILS, title="Settings",
            description="To change settings: a line each, as in a properties file, such as max.warmup.replicas=6. No secrets: "
            "Airflow keeps and shows what is sent, in its audit log also what it refuses.",
            **{"not": {"type": "string", "pattern": _SECRET}},
        ),
        "kafka_release": Param(
            None, type=["null", "string"], enum=[None, *reversed(RELEASES)], section=DETAILS, title="Release",
            values_display={"null": "As now"},
            description="To go to another release: that of Kafka Streams, with which the clients come back.",
        ),
        "minutes": Param(
            None, type=["null", "number"], exclusiveMinimum=0, maximum=1_000_000, section=DETAILS, title="Minutes",
            description="To stop everything: for how long.",
        ),
        "change": Param(
            None, type=["object", "null"], section=DOCUMENT, title="Change",
            **_WITHOUT_SECRETS,
            **{"if": {"minProperties": 1}, "then": {"required": ["format_version", "events"]}},  # the form makes {} of nothing
            properties={
                "format_version": {"type": "string"},
                "events": {"type": "array", "items": {"type": "object", "minProperties": 1, "propertyNames": {"enum": [*VERBS]}}},
            },
            description_md=f"What you mean to do, as a Change (docs/changes.md). Empty: what stands above. Such as\n\n{EXAMPLE}",
        ),
        "policy": Param(
            None, type=["null", "object", "string"], section="Limits", title="Policy",
            description="A Policy document, or its YAML as text: no looser than the team's. Empty: the team's, or Holdfast's.",
            **_WITHOUT_SECRETS,
        ),
        "snapshot": WHICH_SNAPSHOT,
    }  # fmt: skip


def _name(default: str, title: str, about: str, known: list[str]) -> Param:
    suggestions = {"examples": known} if known else {}
    return Param(
        known[0] if len(known) == 1 else default,
        type="string", minLength=1, maxLength=249, pattern=r"\S", title=title, description_md=about, **suggestions,
    )  # fmt: skip


def _count(title: str, about: str, most: int, section: str | None = None) -> Param:
    where = {"section": section} if section else {}
    return Param(None, type=["null", "integer"], minimum=1, maximum=most, title=title, description=about, **where)
