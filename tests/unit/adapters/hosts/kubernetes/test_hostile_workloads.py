"""Whatever an API server says of workloads and pods, actors answer or raise HostTrouble, and change only what they have seen."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harness.examples import examples

from holdfast.actor import Actor
from holdfast.adapters.hosts.kubernetes import api, deployment_actor, shared_deployment, stateful_actor, workloads
from holdfast.adapters.hosts.kubernetes.api import Document
from holdfast.adapters.hosts.kubernetes.connection import Server
from holdfast.adapters.hosts.kubernetes.deployment_actor import DeploymentActor, OnePodDeployments
from holdfast.adapters.hosts.kubernetes.deployments import DELETION_COST, REVISION
from holdfast.adapters.hosts.kubernetes.restart_by import RestartBy
from holdfast.adapters.hosts.kubernetes.shared_deployment import ACTS, SharedDeployment, SharedDeploymentActor
from holdfast.adapters.hosts.kubernetes.stateful_actor import StatefulActor, Workload
from holdfast.errors import HostTrouble
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import Does

LABELS = {"app": "words"}
HOSTILE: tuple[object, ...] = (
    None,
    True,
    0,
    -1,
    10**30,
    1.5,
    float("nan"),
    "",
    "../../secrets",
    "words-2/../x",
    "words-99999999999",
    "a\0b\r\nHost: x",
    "\ud800",
    "[" * 3_000,
    "x" * 100_000,
    [],
    [[]],
    [None, 1, "a", {}],
    {},
    {"": {"": []}},
    {"uid": 1, "name": [], "controller": "true"},
)
MODULES = (stateful_actor, deployment_actor, shared_deployment)


def meta(name: str, owner: tuple[str, str] | None = None, **annotations: str) -> Document:
    owners = [{"kind": owner[0], "name": "words", "uid": owner[1], "controller": True}] if owner else []
    labels = LABELS | {"controller-revision-hash": "words-1"}
    known = {"namespace": "n", "uid": f"uid of {name}", "resourceVersion": "7", "generation": 1}
    return {"name": name, **known, "labels": labels, "ownerReferences": owners, "annotations": annotations}


def pod(name: str, kind: str, **annotations: str) -> Document:
    mounts = [{"name": "state", "mountPath": "/state"}]
    status = {"name": "app", "containerID": "c://1", "restartCount": 0, "state": {"running": {}}}
    ready = [{"type": "Ready", "status": "True"}]
    return {
        "metadata": meta(name, (kind, "uid of words"), **annotations),
        "spec": {
            "nodeName": "node-1",
            "containers": [{"name": "app", "volumeMounts": mounts}],
            "volumes": [{"name": "state", "persistentVolumeClaim": {"claimName": "c"}}],
        },
        "status": {"phase": "Running", "containerStatuses": [status], "conditions": ready},
    }


def workload(name: str, kind: str, replicas: int) -> Document:
    owner = ("Deployment", "uid of words") if kind == "replicasets" else None
    strategy = {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}, "strategy": {"type": "Recreate"}}
    status = {"observedGeneration": 1, "updateRevision": "words-1", "currentRevision": "words-1"}
    return {
        "metadata": meta(name, owner, **{REVISION: "1"}),
        "spec": {"replicas": replicas, "selector": {"matchLabels": LABELS}, "template": {"metadata": {}}, **strategy},
        "status": status,
    }


def documents(replicas: int) -> dict[str, Any]:
    """By path; lists of pods for either kind."""
    apps, core = "/apis/apps/v1/namespaces/n", "/api/v1/namespaces/n/pods"
    named = {f"{core}/words-{one}": pod(f"words-{one}", "StatefulSet") for one in range(3)}
    return {
        f"{apps}/statefulsets/words": workload("words", "statefulsets", 3),
        f"{apps}/deployments/words": workload("words", "deployments", replicas),
        f"{apps}/replicasets": {"items": [workload("words", "replicasets", replicas)]},
        core: {"items": [pod(f"words-{one}", "ReplicaSet", **{DELETION_COST: "1"}) for one in "abc"[:replicas]]},
        **named,
    }


class Answers:
    """What `connection.Server` is for an API: answers from documents, and keeps what was to be changed."""

    shown, url = "cluster test", "https://server.invalid"

    def __init__(self, found: dict[str, Any]) -> None:
        self.found = found
        self.changes: list[tuple[str, str, Document]] = []

    def authorization(self) -> None:
        return None

    def pool(self) -> "Answers":
        return self

    def request(self, method: str, url: str, body: bytes | None = None, **_: object) -> "Answer":
        path = urlsplit(url).path
        if method != "GET":
            self.changes.append((method, path, json.loads(body or b"{}")))
            return Answer(200, {})
        return Answer(200, self.found[path]) if path in self.found else Answer(404, {"reason": "NotFound"})


class Answer:
    def __init__(self, status: int, document: object) -> None:
        self.status = status
        self._parts = iter([json.dumps(document).encode(), b""])

    def read1(self, *_: object, **__: object) -> bytes:
        return next(self._parts)

    def close(self) -> None:
        pass


def actors(server: Answers) -> Iterator[tuple[Actor, Does, Act]]:
    reached = cast("Server", server)
    for by in RestartBy:
        stateful = StatefulActor(reached, Workload("n", "words", "app", "/state", {}, 0.01, by))
        for does in Does:
            yield stateful, does, Act(does, "", "words-2")
    for does in Does:
        one = DeploymentActor(reached, OnePodDeployments("n", "{n}", "app", "/state", {"a": {"n": "words"}}, 0.01))
        yield one, does, Act(does, "a", None)
        shared = SharedDeploymentActor(reached, SharedDeployment("n", "words", "app", None, 0.01))
        yield shared, does, Act(does, "", None if does is Does.START else "words-a", (), "plan.1")


def tried(server: Answers, chance: random.Random | None = None) -> None:
    """All that actors do, or one thing by chance."""
    every = list(actors(server))
    for actor, does, act in every if chance is None else [chance.choice(every)]:
        with suppress(HostTrouble):
            actor.lacks(act)
            actor.process(act)
            actor.perform(does, act)


def check_changes(server: Answers) -> None:
    for method, path, body in server.changes:
        assert path in (
            "/apis/apps/v1/namespaces/n/statefulsets/words",
            "/apis/apps/v1/namespaces/n/deployments/words",
            *(f"/api/v1/namespaces/n/pods/words-{one}" for one in "abc210"),
        )
        found = body["preconditions"] if method == "DELETE" else body["metadata"]
        assert isinstance(found["uid"], str)
        assert found["uid"]
        if "spec" in body:
            assert found["resourceVersion"]
            assert body["spec"].get("replicas", 0) in range(6)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_PAUSES_S", ())
    for module in MODULES:
        monkeypatch.setattr(module, "_sleep", lambda _: None)


def places(document: object) -> list[tuple[Any, Any]]:
    """Each container and key in it."""
    found: list[tuple[Any, Any]] = []
    keys = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in keys:
        found += [(document, key), *places(value)]
    return found


@pytest.mark.parametrize("replicas", [1, 3])
def test_without_mischief_all_of_them_act(replicas: int) -> None:
    """So that the test below is about what is acted on."""
    server = Answers(documents(replicas))
    for actor, does, act in actors(server):
        if not (isinstance(actor, DeploymentActor) and replicas > 1):
            actor.process(act)
            actor.perform(does, act)
    check_changes(server)
    methods = [(method, path.rsplit("/", maxsplit=2)[1]) for method, path, _ in server.changes]

    assert {("DELETE", "pods"), ("PATCH", "statefulsets"), ("PATCH", "deployments")} <= set(methods)
    assert (("PATCH", "pods") in methods) is True


@pytest.mark.thorough
@settings(max_examples=examples(300), deadline=None)
@given(st.integers(0, 2**32))
def test_hostile_answers_are_refused_or_bear_no_fruit(seed: int) -> None:
    chance = random.Random(seed)
    found = copy.deepcopy(documents(chance.choice((1, 3))))
    for _ in range(chance.choice((1, 1, 2, 5))):
        container, key = chance.choice(places(found))
        if isinstance(container, dict) and chance.random() < 0.2:
            del container[key]
        else:
            container[key] = copy.deepcopy(chance.choice(HOSTILE))
    server = Answers({path: one for path, one in found.items() if isinstance(one, dict)})
    tried(server, chance)
    check_changes(server)


@pytest.mark.parametrize(
    "kept", ["{}", '{"\\ud800":"\\ud800"}', '{"a":"b"}', json.dumps({"x": "y" * 60_000}), '{"a":NaN}', "\0", "1e999"], ids=range(7)
)
def test_an_annotation_on_the_deployment_is_not_trusted(kept: str) -> None:
    server = Answers(documents(3))
    server.found["/apis/apps/v1/namespaces/n/deployments/words"]["metadata"]["annotations"][ACTS] = kept
    tried(server)
    check_changes(server)


def endless(server: Answers, path: str, one: Callable[[int], Document]) -> None:
    """A list that goes on for ever, page by page."""
    answer = server.request

    def pages(method: str, url: str, body: bytes | None = None, **given: object) -> Answer:
        if method == "GET" and urlsplit(url).path == path:
            return Answer(200, {"items": [one(number) for number in range(250)], "metadata": {"continue": "more"}})
        return answer(method, url, body, **given)

    server.request = pages  # type: ignore[method-assign]


@pytest.mark.parametrize("path", ["/api/v1/namespaces/n/pods", "/apis/apps/v1/namespaces/n/replicasets"])
def test_a_list_without_end_is_given_up(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_MOST_LISTED", 1_000)
    server = Answers(documents(1))
    endless(server, path, lambda number: pod(f"words-{number}", "ReplicaSet"))
    actor = DeploymentActor(cast("Server", server), OnePodDeployments("n", "{n}", "app", None, {"a": {"n": "words"}}, 1))
    with pytest.raises(HostTrouble, match="more than 1,000 objects"):
        actor.process(Act(Does.STOP, "a", None))
    assert server.changes == []


def test_more_pods_than_are_asked_for_their_process_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workloads, "_MOST_ASKED", 2)
    monkeypatch.setattr(workloads, "PodShell", _Silent)
    server = Answers(documents(3))
    actor = SharedDeploymentActor(cast("Server", server), SharedDeployment("n", "words", "app", "/state", 1))

    assert "more than 2 pods" in str(actor.lacks(Act(Does.STOP, "4b61083e-57d0-457d-951f-d06556c148ca", None, (), "plan.1")))


class _Silent:
    def __init__(self, *_: object) -> None:
        pass

    def run(self, *_: object, **__: object) -> None:
        raise HostTrouble("away", begun=False)
