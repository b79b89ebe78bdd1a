"""What only a lake on S3 can get wrong, on two servers of its protocol: conditions, listings, what lacks, and writers that die."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from tests.contract.test_lake import OTHERS
from tests.harness.article import C
from tests.harness.pages.airflow_server import ROOT
from tests.harness.plans import article_plan
from tests.harness.s3.servers import BUCKET, KEY, SECRET, S3Server

from holdfast.adapters.lake.address import LakeAddress
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.machine import ThisMachine
from holdfast.adapters.state_dirs.process_metadata import LocalProcessMetadataFiles
from holdfast.errors import NotAllowed, StatePathTrouble, Unsupported
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.journal.journal import JournalEntry
from holdfast.rollout.json.record import codec_of
from holdfast.workflows import journals, snapshots
from holdfast.workflows import plan as plans
from holdfast.workflows.collecting import retention

PLACE = ("a", "b", "c.json")
BIG = bytes(range(256)) * 48 * 1024
"""12 MiB: more than a part of an upload in parts."""


@pytest.fixture(params=["s3proxy", "s3mock"])
def server(request: pytest.FixtureRequest) -> S3Server:
    found: S3Server = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def lake(server: S3Server) -> FsspecLake:
    return FsspecLake(server.address())


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, s3proxy: S3Server) -> pytest.MonkeyPatch:
    """Where a program that runs without Airflow finds what it needs."""
    found = {
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_ENDPOINT_URL": s3proxy.endpoint,
        "AWS_REGION": "us-east-1",
    }
    for name, value in (found | {"AWS_EC2_METADATA_DISABLED": "true"}).items():
        monkeypatch.setenv(name, value)
    return monkeypatch


@contextmanager
def requests(lake: FsspecLake) -> Iterator[Counter[str]]:
    """How many of each kind were made."""
    made: Counter[str] = Counter()
    call = lake._files.call_s3

    def counted(method: str, *rest: object, **options: object) -> Any:
        made[method] += 1
        return call(method, *rest, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lake._files, "call_s3", counted)
        yield made


def test_a_large_file_is_put_by_one_request(lake: FsspecLake) -> None:
    with requests(lake) as made:
        assert lake.create(PLACE, BIG)
    assert made == {"put_object": 2}  # the second is the question whether the store knows conditions
    assert not lake.create(PLACE, BIG)
    assert lake.read(PLACE, len(BIG)) == BIG
    lake.write(PLACE, BIG[1:])
    assert lake.read(PLACE, len(BIG)) == BIG[1:]


def test_what_another_process_wrote_is_seen_at_once(server: S3Server) -> None:
    address = server.address()
    ours, theirs = FsspecLake(address), FsspecLake(LakeAddress(address.url, {**address.settings, "max_concurrency": 2}))
    ours.write(PLACE, b"short")
    assert ours.names(("a", "b")) == ("c.json",)
    theirs.write(PLACE, b"a longer one")
    theirs.write(("a", "b", "d.json"), b"")

    assert ours.read(PLACE, 100) == b"a longer one"
    assert ours.names(("a", "b")) == ("c.json", "d.json")
    assert ours.exists(("a", "b", "d.json"))
    assert ours.read(("a", "b", "d.json"), 100) == b""


def test_a_store_that_overlooks_conditions_is_found_out(lake: FsspecLake) -> None:
    """MinIO and Ceph took conditional puts for plain ones until 2024: here the client loses the condition."""
    lake._files.connect()
    events = lake._files._s3.meta.events

    def lose(request: Any, **_: object) -> None:
        del request.headers["If-None-Match"]

    events.register("before-sign.s3.PutObject", lose)
    try:
        with pytest.raises(Unsupported, match="ignores the condition of a put"):
            lake.create(PLACE, b"x")
    finally:
        events.unregister("before-sign.s3.PutObject", lose)


def answering(lake: FsspecLake, *codes: str) -> Callable[..., Any]:
    """The store, once it has refused as often as there are codes."""
    call, left = lake._files.call_s3, list(codes)

    def answered(method: str, **options: object) -> Any:
        if left:
            error = OSError("refused")
            error.__cause__ = ClientError({"Error": {"Code": left.pop(0)}}, method)
            raise error
        return call(method, **options)

    return answered


def test_where_another_put_is_not_over_it_is_tried_again(s3proxy: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    lake = FsspecLake(s3proxy.address())
    monkeypatch.setattr(lake._files, "call_s3", answering(lake, "ConditionalRequestConflict", "ConditionalRequestConflict"))
    assert lake.create(PLACE, b"x")
    monkeypatch.setattr(lake._files, "call_s3", answering(lake, "OperationAborted"))
    assert not lake.create(PLACE, b"x")


def test_a_store_that_knows_no_conditions_is_refused(s3proxy: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    lake = FsspecLake(s3proxy.address())
    monkeypatch.setattr(lake._files, "call_s3", answering(lake, "NotImplemented"))
    with pytest.raises(Unsupported, match="does not know conditional puts"):
        lake.create(PLACE, b"x")


def test_what_the_store_keeps_is_not_deleted(s3proxy: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deletion of many succeeds as a whole and lists what it left."""
    lake = FsspecLake(s3proxy.address())
    lake.write(PLACE, b"x")
    call = lake._files.call_s3

    def kept(method: str, **options: object) -> Any:
        return (
            {"Errors": [{"Key": "a/b/c.json", "Code": "AccessDenied"}]} if method == "delete_objects" else call(method, **options)
        )

    monkeypatch.setattr(lake._files, "call_s3", kept)
    with pytest.raises(NotAllowed, match=r"cannot be deleted.* s3:DeleteObject"):
        lake.remove(("a",))


ASKED: Mapping[str, Callable[[FsspecLake], object]] = {
    "write": lambda lake: lake.write(PLACE, b"x"),
    "create": lambda lake: lake.create(PLACE, b"x"),
    "read": lambda lake: lake.read(PLACE, 10),
    "exists": lambda lake: lake.exists(PLACE),
    "names": lambda lake: lake.names(("a",)),
    "remove": lambda lake: lake.remove(("a",)),
}
"""All that a lake can be asked. None of them may take a store that refuses for one where nothing is."""


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED.keys())
def test_a_bucket_that_is_not_there_is_named_and_not_created(server: S3Server, ask: Callable[[FsspecLake], object]) -> None:
    for _ in range(2):
        with pytest.raises(StatePathTrouble, match="there is no bucket not-there there"):
            ask(FsspecLake(server.address("s3://not-there/lake")))


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED.keys())
def test_wrong_keys_are_refused_and_not_repeated(s3proxy: S3Server, ask: Callable[[FsspecLake], object]) -> None:
    with pytest.raises(NotAllowed, match=r"refused it .*Check the keys") as refusal:
        ask(FsspecLake(s3proxy.address(secret="another-secret-of-the-lake")))
    assert "another-secret" not in str(refusal.value)
    assert "s3:ListBucket on the bucket " + BUCKET in str(refusal.value)


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED.keys())
def test_a_store_that_does_not_answer_is_named(ask: Callable[[FsspecLake], object]) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with pytest.raises(StatePathTrouble, match=r"does not answer .*endpoint_url") as refusal:
            ask(FsspecLake(S3Server(endpoint, Path()).address(config_kwargs={"retries": {"max_attempts": 0}})))
    assert endpoint in str(refusal.value)
    assert not isinstance(refusal.value, NotAllowed)


def test_without_airflow_the_environment_says_what_is_needed(environment: pytest.MonkeyPatch, s3proxy: S3Server) -> None:
    lake = FsspecLake(s3proxy.url())
    lake.write(PLACE, b"x")
    assert lake.read(PLACE, 1) == b"x"


def test_the_doctor_says_what_lacks(environment: pytest.MonkeyPatch, s3proxy: S3Server) -> None:
    lake = FsspecLake(s3proxy.url())
    assert ThisMachine().folder_problem(lake.url) is None
    assert list(lake._objects.names(lake._root)) == []
    assert "there is no bucket not-there there" in (ThisMachine().folder_problem("s3://not-there/lake") or "")


def test_where_there_are_no_keys_it_is_said_where_they_are_looked_for(
    environment: pytest.MonkeyPatch, s3proxy: S3Server, tmp_path: Path
) -> None:
    environment.delenv("AWS_ACCESS_KEY_ID")
    environment.setenv("HOME", str(tmp_path))
    with pytest.raises(NotAllowed, match=r"no credentials were found .*connection holdfast_lake.*AWS_ACCESS_KEY_ID"):
        FsspecLake(LakeAddress(s3proxy.url(), {"skip_instance_cache": True})).write(PLACE, b"x")


def test_what_is_listed_does_not_grow_with_what_is_beside_or_below(s3proxy: S3Server) -> None:
    """1,200 groups, 2 days, 2 snapshots each: what is asked of one group takes as many requests as if there were no other."""
    lake = FsspecLake(s3proxy.address())
    root = s3proxy.folder / "objects" / BUCKET / lake.url.rsplit("/", 1)[1] / "snapshots" / "cluster=c"
    for day in ("day=2026-11-20", "day=2026-11-21"):
        for number in range(1_200):
            folder = root / day / f"group=g{number:04}"
            folder.mkdir(parents=True)
            for name in ("1-a.json", "2-b.json"):
                (folder / name).write_bytes(b"{}")

    with requests(lake) as made:
        assert snapshots.latest(lake, "c", "g0007") == "snapshots/cluster=c/day=2026-11-21/group=g0007/2-b.json"
    assert made == {"list_objects_v2": 2}
    with requests(lake) as made:
        assert snapshots.latest(lake, "c", "another") is None
    assert made == {"list_objects_v2": 3}  # the days, and a look into each
    with requests(lake) as made:
        assert len(lake.names(("snapshots", "cluster=c", "day=2026-11-21"))) == 1_200
    assert made == {"list_objects_v2": 2}
    with requests(lake) as made:
        retention.forget(lake, "2026-11-21")
    assert made["delete_objects"] == 4  # 2,400 files, a thousand each, and what would have the folder's own name
    assert snapshots.days(lake) == ("2026-11-21",)
    assert len(lake.names(("snapshots", "cluster=c", "day=2026-11-21"))) == 1_200


class Relay:
    """Between a client and a server: passes on `most` bytes of what the client sends; then `full` is set, and no more passes."""

    def __init__(self, to: str, most: int) -> None:
        host, _, port = to.removeprefix("http://").partition(":")
        self._to, self._most, self.full = (host, int(port)), most, threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._to) as server:
            threading.Thread(target=self._back, args=(server, client), daemon=True).start()
            while data := client.recv(65_536):
                self._most -= len(data)
                if self._most < 0:
                    self.full.set()
                    continue  # until the client is gone; the server sees no more, and then the end
                server.sendall(data)

    @staticmethod
    def _back(server: socket.socket, client: socket.socket) -> None:
        try:
            while data := server.recv(65_536):
                client.sendall(data)
        except OSError:
            return

    def close(self) -> None:
        self._listening.close()


WRITER = """
import sys
from holdfast.adapters.lake.lake import FsspecLake
from holdfast.adapters.machine import ThisMachine
getattr(FsspecLake(sys.argv[1]), sys.argv[2])(("a", "big"), b"x" * 12_000_000)
"""


@pytest.mark.parametrize(
    ("server", "method"), [("s3proxy", "write"), ("s3proxy", "create"), ("s3mock", "write")], indirect=["server"]
)
def test_of_a_writer_that_is_killed_nothing_is_seen(server: S3Server, environment: pytest.MonkeyPatch, method: str) -> None:
    lake = FsspecLake(server.address())
    if method == "write":
        lake.write(("a", "big"), b"what was there")
    relay = Relay(server.endpoint, 2_000_000)
    environment.setenv("AWS_ENDPOINT_URL", relay.endpoint)
    with subprocess.Popen([sys.executable, "-c", WRITER, lake.url, method]) as writer:
        assert relay.full.wait(60)
        writer.send_signal(signal.SIGKILL)
    relay.close()

    if method == "write":
        assert lake.read(("a", "big"), 100) == b"what was there"
    assert lake.names(("a",)) == (("big",) if method == "write" else ())
    assert lake.exists(("a", "big")) is (method == "write")
    assert lake.create(("a", "big"), b"whole") is (method == "create")


@pytest.mark.parametrize("store", ["s3proxy", *OTHERS])
def test_two_processes_apply_at_once_and_no_entry_is_lost(
    s3proxy: S3Server, environment: pytest.MonkeyPatch, tmp_path: Path, store: str
) -> None:
    """Journal and lease are in the store; two who apply one plan at once write its process ID into one directory."""
    lakes = f"{store}/{secrets.token_hex(6)}" if store in OTHERS else s3proxy.url()
    environment.setenv("LAKES", lakes)
    plans.keep(FsspecLake(str(tmp_path / "plan")), article_plan())
    command = [sys.executable, "-m", "tests.harness.two_applies", str(tmp_path / "plan")]
    both = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(2)]
    assert [one.stdout.readline() for one in both] == ["ready\n"] * 2
    for number in range(int(os.environ.get("HOLDFAST_APPLY_ROUNDS") or 3)):
        folder = tmp_path / str(number)
        for one, name in zip(both, ("one", "other"), strict=True):
            (folder / name).mkdir(parents=True)
            one.stdin.write(f"{folder}\t{name}\t0\n")
            one.stdin.flush()
        answers = [json.loads(one.stdout.readline()) for one in both]

        kept = journals.read(FsspecLake(f"{lakes}/{number}"), article_plan().plan_id)
        entries = [codec_of(JournalEntry).write(entry) for entry in kept.journal.entries]
        assert kept.broken is None
        assert [(entry["step"], entry["event"]) for entry in entries] == [("1", "done"), ("2", "begun"), ("2", "done")], answers
        assert all(answer["entries"] == entries[: len(answer["entries"])] for answer in answers if "entries" in answer)
        assert any("entries" in answer for answer in answers)
        written = [LocalProcessMetadataFiles().read(str(folder / name)) for name in ("one", "other")]
        assert sorted(written, key=str) == sorted([ProcessId.parse(C), None], key=str)
    for one in both:
        one.communicate()
