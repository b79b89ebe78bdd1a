"""An API server that fails, says nothing, talks nonsense, or is none: the contract server plays it."""

import pytest
from tests.harness.kubernetes import contract_server
from tests.harness.kubernetes.cluster import Cluster
from tests.harness.kubernetes.contract_server import ContractServer, raw, refusing

from holdfast.adapters.hosts.kubernetes import address, pods
from holdfast.adapters.hosts.kubernetes.api import Api
from holdfast.errors import HostTrouble


def told(contract: Cluster) -> ContractServer:
    assert contract.contract is not None
    return contract.contract


@pytest.fixture(scope="module")
def namespace(contract: Cluster) -> str:
    """A StatefulSet with two pods."""
    name = contract.namespace()
    words = contract.stateful_set(name, "words")
    for ordinal in (0, 1):
        contract.pod(name, f"words-{ordinal}", owner=("StatefulSet", words))
    return name


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"SSH-2.0-OpenSSH_9.6\r\n", "failed: "),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n<htm>", "no JSON object"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]", "no JSON object"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\nConnection: close\r\n\r\n" + b"[" * 100_000, "no JSON object"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", "without a name or UID"),
        (b'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"metadata"', "failed: "),
        (
            b"HTTP/1.1 302 Found\r\nLocation: https://elsewhere.invalid/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            "status 302",
        ),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "failed: "),
    ],
    ids=range(8),
)
def test_answers_that_are_none(
    contract: Cluster, namespace: str, content: bytes, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.adapters.hosts.kubernetes.api._PAUSES_S", ())
    told(contract).tricks[f"GET {pods.path_of(namespace, 'words-0')}"] = raw(content)
    with pytest.raises(HostTrouble) as refused:
        pods.read(contract.api(), namespace, "words-0")
    assert said in str(refused.value)


def test_an_answer_without_end_is_cut(contract: Cluster, namespace: str) -> None:
    endless = b"HTTP/1.1 200 OK\r\nContent-Length: 900000000\r\n\r\n" + b" " * (17 * 1024 * 1024)
    told(contract).tricks[f"GET {pods.path_of(namespace, 'words-0')}"] = raw(endless)
    with pytest.raises(HostTrouble, match="more than 16,777,216 bytes"):
        pods.read(contract.api(), namespace, "words-0")


def test_a_server_that_says_nothing_is_not_waited_for(contract: Cluster, namespace: str) -> None:
    told(contract).tricks[f"GET {pods.path_of(namespace, 'words-0')}"] = contract_server.never
    with pytest.raises(HostTrouble, match=r"not answered within 1 s|failed: (Read|Connect)Timeout"):
        pods.read(Api(contract.server(), 1), namespace, "words-0")


def test_an_overloaded_server_is_asked_again(contract: Cluster, namespace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.adapters.hosts.kubernetes.api._PAUSES_S", (0.0,))
    told(contract).tricks[f"GET {pods.path_of(namespace, 'words-0')}"] = refusing(429, "TooManyRequests", "slow down")

    assert pods.read(contract.api(), namespace, "words-0").name == "words-0"


def test_a_list_that_expires_between_pages_is_begun_again(
    contract: Cluster, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.adapters.hosts.kubernetes.api._PAGE", 1)
    server = told(contract)
    whole = server._list
    asked: list[str] = []

    def expiring(where: contract_server.Target, query: dict[str, list[str]]) -> object:
        asked.append(query.get("continue", [""])[0])
        if len(asked) == 2:
            raise contract_server.Refused(410, "Expired", "The provided continue parameter is too old")
        return whole(where, query)

    monkeypatch.setattr(server, "_list", expiring)

    found = pods.named(contract.api(), address.parse(f"kubernetes:///{namespace}/words-{{ordinal}}/app/data"))
    assert [one.pod for one in found] == ["words-0", "words-1"]
    assert asked[:3] == ["", "1", ""]
