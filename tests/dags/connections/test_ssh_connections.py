"""Hosts over SSH by Airflow's connections, and which directories `apply_rollout` may write to."""

import copy
import json
import re

import pytest
from airflow.sdk._shared.secrets_masker import redact
from tests.harness.article import AFTER, group
from tests.harness.plans import REPLACE_FIRST, planned

from holdfast.airflow_wiring import clusters, rollouts
from holdfast.errors import InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.workflows import seed_places

PASSWORD = "open-sesame-4712"


def connection(monkeypatch: pytest.MonkeyPatch, cluster: str, **extras: object) -> None:
    monkeypatch.setenv(f"AIRFLOW_CONN_HOLDFAST_KAFKA_{cluster.upper()}", json.dumps({"conn_type": "generic", "extra": extras}))


def test_a_connection_names_how_hosts_are_reached_over_ssh(monkeypatch: pytest.MonkeyPatch) -> None:
    ssh = {"conn_type": "ssh", "login": "deploy", "password": PASSWORD, "port": 2222, "extra": {"sudo_user": "streams"}}
    monkeypatch.setenv("AIRFLOW_CONN_HOSTS", json.dumps(ssh))
    connection(monkeypatch, "a", groups={}, ssh_connection="hosts", **{"bootstrap.servers": "127.0.0.1:9"})

    known = clusters.known_cluster("a")

    assert known.ssh is not None
    assert (known.ssh.user, known.ssh.port, known.ssh.sudo_user, known.ssh.from_home) == ("deploy", 2222, "streams", False)
    assert clusters.hosts(known).ssh == known.ssh
    assert PASSWORD not in redact(f"the password is {PASSWORD}")


@pytest.mark.parametrize(
    ("ssh", "said"),
    [
        (None, "Airflow has no such connection"),
        ({"conn_type": "generic"}, "one of type ssh is needed"),
        ({"conn_type": "ssh", "extra": {"no_host_key_check": True}}, "always checks host keys"),
    ],
)
def test_an_ssh_connection_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, ssh: dict[str, object] | None, said: str
) -> None:
    if ssh:
        monkeypatch.setenv("AIRFLOW_CONN_HOSTS", json.dumps(ssh))
    connection(monkeypatch, "a", groups={}, ssh_connection="hosts", **{"bootstrap.servers": "127.0.0.1:9"})

    with pytest.raises(InvalidInput, match=said):
        clusters.known_cluster("a")


NEW, OTHER = "bbb83e43-b1af-4b2d-a60a-94a7091684d0", "ssh://{host}/x"


@pytest.mark.parametrize(
    ("directory", "allowed", "may"),
    [
        ("/x", "/x", True),
        ("ssh://app-4b61/x", OTHER, True),
        ("ssh://app-9/x", OTHER, True),
        ("ssh://bastion/x", "ssh://bastion/x", True),
        ("ssh://bastion/x", OTHER, False),
        ("ssh://app-4b61/y", OTHER, False),
        ("ssh://me@app-4b61/x", OTHER, False),
        ("ssh://app-4b61:23/x", OTHER, False),
        ("ssh://app-4b61/x\n", OTHER, False),
        ("/mnt/../x", "/mnt/{host}/x", False),
    ],
)
def test_a_template_allows_the_hosts_of_the_plan_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, directory: str, allowed: str, *, may: bool
) -> None:
    """app-4b61 is a member's host, and the plan brings app-9."""
    connection(monkeypatch, "a", groups={"streams-wordcount": {"state_dirs": [allowed]}}, **{"bootstrap.servers": "127.0.0.1:9"})
    plan, known = coming_on("app-9"), clusters.known_cluster("a")

    if may:
        assert rollouts.directories(plan, known, {NEW: directory}) == {ProcessId.parse(NEW): directory}
    else:
        with pytest.raises(InvalidInput, match="is not one of the state directories"):
            rollouts.directories(plan, known, {NEW: directory})


@pytest.mark.parametrize("host", ["..", "-oProxyCommand=id", "a b", "x@bastion", "evil/bastion", "$(id)", "fe80::1%eth0"])
def test_a_host_that_cannot_be_one_is_named_and_reached_by_no_template(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    templates = [OTHER, "/mnt/{host}/x"]
    connection(monkeypatch, "a", groups={"streams-wordcount": {"state_dirs": templates}}, **{"bootstrap.servers": "127.0.0.1:9"})
    plan, known = coming_on(host), clusters.known_cluster("a")

    for template in templates:
        for directory in (template, template.replace("{host}", host)):
            with pytest.raises(InvalidInput, match=re.escape(repr(host))):
                rollouts.directories(plan, known, {plan_s_id(plan): directory})


def test_a_template_is_the_directory_on_the_host_of_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    connection(monkeypatch, "a", groups={"streams-wordcount": {"state_dirs": [OTHER]}}, **{"bootstrap.servers": "127.0.0.1:9"})
    plan = coming_on("app-9")

    found = rollouts.directories(plan, clusters.known_cluster("a"), {plan_s_id(plan): OTHER})
    assert list(found.values()) == ["ssh://app-9/x"]


OTHER_ID = "00000000-0000-4000-8000-000000000001"
PODS = "kubernetes://shop/orders/words-{ordinal}/app/data/words"


def test_a_template_of_pods_is_the_pod_that_the_volumes_show_and_asked_when_it_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    connection(monkeypatch, "a", groups={"streams-wordcount": {"state_dirs": [PODS]}}, **{"bootstrap.servers": "127.0.0.1:9"})
    plan, asked = coming_on("app-9"), []
    new = ProcessId.parse(plan_s_id(plan))

    def in_pods(_: Plan, template: str, __: object) -> dict[ProcessId, str]:
        asked.append(template)
        return {new: template.replace("{ordinal}", str(pods[0]))}

    pods = [2]
    monkeypatch.setattr("holdfast.wiring.directories_in_pods", in_pods)
    monkeypatch.setattr("holdfast.wiring.pods_of_templates", lambda _: lambda template, url, _: url in (template, *HIS))
    found = rollouts.directories(plan, clusters.known_cluster("a"), {str(new): PODS, OTHER_ID: PODS})
    assert (len(found), new in found, asked) == (2, True, [])
    assert seed_places.as_given(found) == (PODS, PODS)

    assert [found[new], found[new], asked] == [PODS.replace("{ordinal}", "2"), PODS.replace("{ordinal}", "2"), [PODS]]
    with pytest.raises(InvalidInput, match="writes the process ID"):
        found.get(ProcessId.parse(OTHER_ID))
    pods[0] = 3
    with pytest.raises(InvalidInput, match="is not one of the state directories"):
        rollouts.directories(plan, clusters.known_cluster("a"), {str(new): PODS})[new]
    with pytest.raises(InvalidInput, match="is not one of the state directories"):
        rollouts.directories(plan, clusters.known_cluster("a"), {str(new): PODS.replace("words-", "other-")})


HIS = (PODS.replace("{ordinal}", "2"),)


def coming_on(host: str) -> Plan:
    """A plan that replaces a client by one on another host, whose process ID Holdfast writes."""
    event = copy.deepcopy(REPLACE_FIRST)
    event["replace_client"]["by"]["host"] = host
    return planned(group(AFTER), event)


def plan_s_id(plan: Plan) -> str:
    return str(next(iter(kind_of(plan).writes(plan).values())))
