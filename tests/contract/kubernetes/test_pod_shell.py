"""Scripts in containers: every promise of `Shell`, and what only pods have."""

from contextlib import suppress
from pathlib import Path

import pytest
from tests.contract.test_shells import (  # noqa: F401 - the same tests, of this shell
    test_a_script_is_what_it_is,
    test_a_signal_is_a_status,
    test_a_time_limit_ends_the_script_and_what_it_started,
    test_arguments_arrive_byte_for_byte,
    test_errors_are_bounded_and_shown_as_one_line,
    test_input_that_is_not_read_is_no_trouble,
    test_output_is_bounded,
    test_several_at_once,
    test_standard_input_arrives_and_ends,
    test_status_and_both_outputs,
    test_what_no_process_can_be_given_is_refused_before,
)
from tests.harness.kubernetes.cluster import Cluster
from tests.harness.kubernetes.frames import Frames, Gone

from holdfast.adapters.hosts.kubernetes import address
from holdfast.adapters.hosts.kubernetes.exec_stream import NotStarted
from holdfast.adapters.hosts.kubernetes.pod_shell import PodShell
from holdfast.errors import HostTrouble

POD = "app-0"


def shell_of(cluster: Cluster, namespace: str, container: str = "app", user: str = "admin", uid: str = "") -> PodShell:
    return PodShell(cluster.server(user), address.parse(f"kubernetes:///{namespace}/{POD}/{container}/data"), uid)


@pytest.fixture(scope="module")
def namespace(cluster: Cluster) -> str:
    """With one running pod."""
    name = cluster.namespace()
    cluster.pod(name, POD)
    return name


@pytest.fixture(params=["dash", "bash"])
def shell(cluster: Cluster, namespace: str, request: pytest.FixtureRequest) -> PodShell:
    cluster.kubelet.shells[namespace, POD, "app"] = request.param
    return shell_of(cluster, namespace)


def test_nothing_of_a_script_is_part_of_the_url(cluster: Cluster, namespace: str) -> None:
    cluster.kubelet.ran.clear()
    shell_of(cluster, namespace).run("echo script", ("argument",), limit_s=30, most_bytes=10)

    [(_, command)] = cluster.kubelet.ran
    assert not any(word in part for part in command for word in ("echo script", "argument"))


def test_an_image_without_a_shell_is_said(cluster: Cluster, namespace: str) -> None:
    cluster.kubelet.shells[namespace, POD, "app"] = None
    with pytest.raises(NotStarted, match="the image has no sh") as refused:
        shell_of(cluster, namespace).run("echo", limit_s=30, most_bytes=10)

    assert not refused.value.begun


def test_a_user_without_the_right_to_exec_is_told_so(cluster: Cluster, namespace: str) -> None:
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
    cluster.bind(namespace, "nobody", {"metadata": {"name": "looks"}, "rules": rules})
    with pytest.raises(
        HostTrouble, match=r"forbidden: User \"nobody\" cannot (get|create) resource \"pods/exec\".*doctor"
    ) as refused:
        shell_of(cluster, namespace, user="nobody").run("echo", limit_s=30, most_bytes=10)

    assert not refused.value.begun
    assert refused.value.lasting


def test_a_container_that_is_not_there_or_not_running(cluster: Cluster) -> None:
    namespace = cluster.namespace()
    cluster.pod(namespace, POD)
    with pytest.raises(HostTrouble, match="no such container; it has app"):
        shell_of(cluster, namespace, "other").run("echo", limit_s=30, most_bytes=10)
    cluster.api().patch(f"/api/v1/namespaces/{namespace}/pods/{POD}/status", {"status": {"containerStatuses": None}})
    with pytest.raises(HostTrouble, match="not running"):
        shell_of(cluster, namespace).run("echo", limit_s=30, most_bytes=10)
    cluster.end(namespace, POD)
    with pytest.raises(HostTrouble, match=f"namespace {namespace} has no pod app-0"):
        shell_of(cluster, namespace).run("echo", limit_s=30, most_bytes=10)


def replaced(cluster: Cluster, namespace: str) -> None:
    cluster.end(namespace, POD)
    cluster.pod(namespace, POD)


def restarted(cluster: Cluster, namespace: str) -> None:
    cluster.runs(namespace, POD, "containerStatuses", ["app"], restarts=1)


@pytest.mark.parametrize("happens", [replaced, restarted])
def test_a_pod_that_is_replaced_meanwhile_is_noticed(cluster: Cluster, happens: object, tmp_path: Path) -> None:
    """Its name is the same, and so is everything that the script printed."""
    assert callable(happens)
    namespace = cluster.namespace()
    uid = cluster.pod(namespace, POD)["metadata"]["uid"]
    carry = cluster.kubelet.run
    try:
        cluster.kubelet.run = lambda *given: (happens(cluster, namespace), carry(*given))[1]  # type: ignore[method-assign]
        with pytest.raises(HostTrouble, match="replaced or its container restarted") as refused:
            shell_of(cluster, namespace).run('echo "$1"', ("x",), limit_s=30, most_bytes=10)
    finally:
        cluster.kubelet.run = carry  # type: ignore[method-assign]

    assert refused.value.begun
    if happens is replaced:
        with pytest.raises(HostTrouble, match="another UID") as before:
            shell_of(cluster, namespace, uid=uid).run("echo", limit_s=30, most_bytes=10)
        assert not before.value.begun


def says_nothing(talk: Frames) -> None:
    """Until the other side has gone."""
    with suppress(Gone):
        while True:
            talk.received()


def cut(talk: Frames) -> None:
    talk.send(b"\x01half an answ")


def closed_without_status(talk: Frames) -> None:
    talk.send(b"\x01half")
    talk.end()


def garbage(talk: Frames) -> None:
    talk.sock.sendall(b"HTTP/1.1 500 no websocket at all\r\n\r\n")


def absurd_frame(talk: Frames) -> None:
    talk.sock.sendall(b"\x82\x7f\x00\x00\x7f\xff\xff\xff\xff\xff")


def absurd_status(talk: Frames) -> None:
    talk.send(b"\x03" + b"[" * 60_000)


def endless_errors(talk: Frames) -> None:
    for _ in range(100):
        talk.send(b"\x02" + b"x" * 60_000)
    talk.send(b'\x03{"status": "Success"}')
    talk.end()


@pytest.mark.parametrize(
    ("trick", "said"),
    [
        (says_nothing, r"within \d+ s"),
        (cut, "broke off|ended without saying"),
        (closed_without_status, "ended without saying"),
        (garbage, "broke off|ended without"),
        (absurd_frame, "printed more than|broke off"),
        (absurd_status, "ended without saying|not carried out"),
    ],
)
def test_connections_that_break_or_talk_nonsense(cluster: Cluster, namespace: str, trick: object, said: str) -> None:
    place = (namespace, POD, "app")
    cluster.kubelet.tricks[place] = trick  # type: ignore[assignment]
    try:
        for limit_s in (2, 8, 60) if trick is says_nothing else (120,):
            with pytest.raises(HostTrouble, match=said) as refused:
                shell_of(cluster, namespace).run("echo", limit_s=limit_s, most_bytes=1000)
            if refused.value.begun:
                break  # otherwise a busy machine has not begun it within that time
    finally:
        del cluster.kubelet.tricks[place]

    assert refused.value.begun


def test_endless_errors_are_not_kept(cluster: Cluster, namespace: str) -> None:
    cluster.kubelet.tricks[namespace, POD, "app"] = endless_errors
    try:
        answer = shell_of(cluster, namespace).run("echo", limit_s=30, most_bytes=10)
    finally:
        del cluster.kubelet.tricks[namespace, POD, "app"]

    assert len(answer.stderr) == 4096


def test_half_a_script_is_not_run(cluster: Cluster, namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from holdfast.adapters.hosts.kubernetes import pod_shell

    cluster.kubelet.shells[namespace, POD, "app"] = "sh"
    monkeypatch.setattr(pod_shell, "_WHOLE", "#who")
    with pytest.raises(HostTrouble, match="did not arrive whole") as refused:
        shell_of(cluster, namespace).run(f"touch {tmp_path}/ran", limit_s=30, most_bytes=10)

    assert not refused.value.begun
    assert not (tmp_path / "ran").exists()
