"""Files of a state directory, damaged in all kinds: does Holdfast read them as each release's own classes do?

Java: `OffsetCheckpoint.read` and `StateDirectory.initializeProcessId` of the published jars. The random files are fresh each run;
the seed is in the failure's message.
"""

import base64
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.harness.kafka.maven import compile_java, java_tool, kafka_streams

from holdfast.adapters.state_dirs.process_metadata import FILE_NAME, LocalProcessMetadataFiles
from holdfast.errors import MalformedBytes, StatePathTrouble
from holdfast.kafka.state_dir import parse_checkpoint, parse_process_metadata, with_process_id
from holdfast.kafka.vocabulary import ProcessId

pytestmark = pytest.mark.jvm

SOURCES = Path(__file__).parents[1] / "java" / "state_files"
RELEASES = ("2.6.3", "2.7.2", "3.1.2", "3.9.1", "4.3.1")
RANDOM_FILES = 600
RANDOM_METADATA = 300
STARTS = int(os.environ.get("HOLDFAST_SEED_STARTS") or 400)
"""Starts of clients next to a writer, in each of two releases."""
SEED = int(os.environ.get("HOLDFAST_CONFORMANCE_SEED") or random.SystemRandom().randrange(2**32))
ID = "4b61083e-57d0-457d-951f-d06556c148ca"
OURS = ProcessId.parse("bbb83e43-b1af-4b2d-a60a-94a7091684d0")

CHECKPOINTS = (
    b"",
    b"0",
    b"0\n",
    b"0\n0",
    b"0\n0\n",
    b"0\n0\n\n",
    b"0\n-1\n",
    b"0\n1\na 0 1",
    b"0\n1\na 0 1\n",
    b"0\r\n1\r\na 0 1\r\n",
    b"0\r1\ra 0 1\r",
    b"0\n1\na 0 -4\n",
    b"0\n1\na 0 -1\n",
    b"0\n2\na 0 -1\nb 0 3\n",
    b"0\n0\na 0 -5\n",
    b"0\n-1\na 0 -5\n",
    b"0\n2\na 0 1\n",
    b"0\n1\na 0 1\nb 0 1\n",
    b"0\n1\na 0 1\na 0 2\n",
    b"0\n2\na 0 1\na 0 2\n",
    b"0\n1\na 0\n",
    b"0\n1\na 0 1 2\n",
    b"0\n1\n a 0 1\n",
    b"0\n1\na\t0\t1\t\n",
    b"0\n1\na\xc2\xa00\xc2\xa01\n",
    b"0\n1\na  0   1  \n",
    b"1\n0\n",
    b"-1\n0\n",
    b"x\n0\n",
    b"0\nx\n",
    b" 0\n0\n",
    b"0 \n0\n",
    b"+0\n+1\na +0 +1\n",
    b"0\n1\na x 1\n",
    b"6\n0\xc3",
    b"0\n0\n\xc3",
    b"0\nx\n\xc3",
    b"0\n1\na 0 1\n\xc3",
    b"0\n1\na x 1\n\xc3",
    b"0\n\xc3",
    b"0\xc3",
    b"\xc3",
    b"0\n1\na 0 x\n",
    b"0\n1\na 0 1.0\n",
    b"0\n1\na -1 1\n",
    b"0\n1\na 0 9223372036854775807\n",
    b"0\n1\na 0 9223372036854775808\n",
    b"0\n1\na 2147483648 1\n",
    b"99999999999\n0\n",
    b"0\n1\n\xd9\xa3 0 \xd9\xa3\n",
    b"0\n1\n\xff\xfe 0 1\n",
    b"\xef\xbb\xbf0\n0\n",
    b"0\n1\na 00000000000000000000000 1\n",
)
METADATA = (
    b"",
    b"{}",
    b"null",
    b"[]",
    b"7",
    b'"x"',
    b'{"processId":null}',
    b'{"processId":7}',
    b'{"processId":""}',
    b'{"processId":"x"}',
    f'{{"processId":"{ID}"}}'.encode(),
    f'\n {{"processId" : "{ID.upper()}"}} trailing'.encode(),
    f'{{"later":[1,{{"x":null}}],"processId":"{ID}"}}'.encode(),
    f'{{"processId":"x","processId":"{ID}"}}'.encode(),
    f'{{"processId":"{ID}","processId":"x"}}'.encode(),
    f'{{"processId":"{ID}"'.encode(),
    f'{{"processId":"{ID}",}}'.encode(),
    f"{{'processId':'{ID}'}}".encode(),
    f'{{"processId":" {ID} "}}'.encode(),
    f'{{"processID":"{ID}"}}'.encode(),
    f'\xef\xbb\xbf{{"processId":"{ID}"}}'.encode("latin-1"),
    f'{{"processId":"{ID}"}}'.encode("utf-16"),
    f'{{"processId":"{ID}"}}'.encode("utf-16-be"),
    f'{{"processId":"{ID}"}}'.encode("utf-32"),
    f'{{"processId":"{ID}","x":NaN}}'.encode(),
    f'{{"processId":"{ID}","x":01}}'.encode(),
    f'{{"processId":"{ID}","x":"\t"}}'.encode(),
    f'{{"processId":"{ID}","x":"\\q"}}'.encode(),
    f'{{"processId":"{ID}","x":1.}}'.encode(),
    f'{{"processId":"{ID}"}}{{"processId":"x"}}'.encode(),
    f'{{"processId":"{{{ID}}}"}}'.encode(),
    f'{{"processId":"{ID[:-1]}g"}}'.encode(),
    f'{{"a":{{"processId":"{ID}"}}}}'.encode(),
    f'{{"processId":["{ID}"]}}'.encode(),
    b'{"processId":"S2EIPlfQRX2VH9BlVsFIyg=="}',
    b'{"processId":"!!!!!!!!!!!!!!!!!!!!!!!!"}',
    b'{"processId":"4b61083e57d0457d951fd06556c148ca"}',
    b"\xff\xfe\x00",
)


@dataclass(frozen=True, slots=True)
class Kafka:
    """What one release made of each file, in our order."""

    checkpoints: tuple[str, ...]
    process_ids: tuple[str, ...]


def random_checkpoints() -> Iterator[bytes]:
    """Whole files with a few bytes changed, left out or doubled: near what Kafka writes, where parsers differ."""
    chance = random.Random(SEED)
    for _ in range(RANDOM_FILES):
        size = chance.randrange(4)
        lines = [f"{chance.choice('abc')} {chance.randrange(3)} {chance.choice((-4, -1, 0, 7))}" for _ in range(size)]
        data = bytearray("\n".join(["0", str(len(lines)), *lines, ""]).encode())
        for _ in range(chance.randrange(3)):
            place = chance.randrange(len(data))
            change = chance.choice(("put", "drop", "double"))
            if change == "put":
                data[place] = chance.choice(b"0123456789-+ \t\n\r\x0b\x0c\x1c\x85xa\xc3")
            elif change == "drop":
                del data[place]
            else:
                data[place:place] = data[place : place + 1]
        yield bytes(data)


def random_metadata() -> Iterator[bytes]:
    """As above, of process metadata; of those that can be read, what is written in their place too."""
    chance = random.Random(SEED)
    for _ in range(RANDOM_METADATA):
        members = [f'"processId":"{ID}"', f'"later":{chance.choice(("1.50", "[{}]", "null", "-0", "1e400"))}']
        data = bytearray(f"{{{','.join(chance.sample(members, chance.choice((1, 2))))}}}".encode())
        for _ in range(chance.randrange(3)):
            place = chance.randrange(len(data))
            if chance.random() < 0.6:
                data[place] = chance.choice(b'{}[]",:\\/ \t\n\x00\x7f0123456789abcdefABCDEF-+eEuU=\xc3\xff')
            else:
                del data[place]
        yield bytes(data)


def seeded(contents: tuple[bytes, ...]) -> Iterator[bytes]:
    for content in contents:
        try:
            if parse_process_metadata(content) is not None:
                yield with_process_id(content, OURS)
        except MalformedBytes:
            pass


FOUND = (*METADATA, *random_metadata())
PROCESSES = (*FOUND, *seeded(FOUND))
"""Process metadata as it was found, and then as Holdfast would have written it."""
FILES = (*CHECKPOINTS, *random_checkpoints())


@pytest.fixture(scope="module", params=RELEASES)
def kafka(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kafka:
    folder = tmp_path_factory.mktemp("files")
    (folder / "checkpoints").mkdir()
    for number, content in enumerate(FILES):
        (folder / "checkpoints" / f"{number:05}").write_bytes(content)
    for number, content in enumerate(PROCESSES):
        application = folder / "processes" / f"{number:05}" / "app"
        application.mkdir(parents=True)
        (application / "kafka-streams-process-metadata").write_bytes(content)
    jars = kafka_streams(request.param)
    command = [java_tool("java"), "-Xmx128m", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8", "-cp"]
    command += [f"{compile_java(SOURCES, jars)}:{jars}", "state_files.StateFiles"]
    command += [str(folder / "checkpoints"), str(folder / "processes")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [line.split("\t", 2) for line in done.stdout.splitlines() if line.startswith(("checkpoint\t", "process\t"))]
    found = Kafka(*(tuple(words[2] for words in lines if words[0] == kind) for kind in ("checkpoint", "process")))
    assert (len(found.checkpoints), len(found.process_ids)) == (len(FILES), len(PROCESSES))
    return found


def our_checkpoint(content: bytes) -> str:
    """In the driver's words."""
    try:
        offsets = parse_checkpoint(content)
    except MalformedBytes as problem:
        return "not reported" if "does not report" in str(problem) else "fails"
    entries = {f"{base64.b64encode(each.topic.encode()).decode()}:{each.partition}": offset for each, offset in offsets}
    return "read\t{" + ", ".join(f"{key}={entries[key]}" for key in sorted(entries)) + "}"


def test_checkpoints_are_read_as_kafka_reads_them(kafka: Kafka) -> None:
    differ = [
        (content, ours, theirs)
        for content, theirs in zip(FILES, kafka.checkpoints, strict=True)
        if (ours := our_checkpoint(content)) != theirs
    ]
    assert not differ, f"seed {SEED}: {differ[:10]}"


def test_the_process_id_is_the_one_kafka_finds_or_a_new_one(kafka: Kafka) -> None:
    for content, theirs in zip(FOUND, kafka.process_ids, strict=False):
        try:
            ours = parse_process_metadata(content)
        except MalformedBytes:
            ours = None
        assert (theirs == ID) is (str(ours) == ID), (SEED, content, ours, theirs)
        assert ours is None or str(ours) == theirs, (SEED, content)


def test_kafka_reads_what_we_wrote_into_whatever_was_there(kafka: Kafka) -> None:
    written = tuple(zip(PROCESSES, kafka.process_ids, strict=True))[len(FOUND) :]
    assert len(written) > 50
    assert [(SEED, content) for content, theirs in written if theirs != str(OURS)] == []


@pytest.mark.parametrize("release", ["2.6.3", "4.3.1"])
def test_no_client_that_starts_is_written_under(release: str, tmp_path: Path) -> None:
    """Kafka's own lock, taken by Kafka's own class while Holdfast writes: without a pause, harder than in practice."""
    directory = tmp_path / "app"
    directory.mkdir()
    jars = kafka_streams(release)
    command = [java_tool("java"), "-Xmx128m", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=off", "-cp"]
    command += [f"{compile_java(SOURCES, jars)}:{jars}", "state_files.Starts", str(tmp_path), str(STARTS)]
    files, written, refused = LocalProcessMetadataFiles(), 0, 0
    other = ProcessId.parse(ID)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as starts:
        while starts.poll() is None:
            try:
                found = files.read(str(directory))
                files.write(str(directory), other if found == OURS else OURS, found)
                written += 1
            except StatePathTrouble as refusal:
                said = str(refusal)
                assert "running client" in said or "already holds" in said or "holds no process ID" in said or "right after" in said
                refused += 1
        out, err = starts.communicate()
    print(f"{release}: {out.strip()} alive, locked out, changed under; {written} written, {refused} refused", file=sys.stderr)
    alive, locked, changed = map(int, out.split())
    assert (alive + locked, changed, starts.returncode) == (STARTS, 0, 0), err[-2000:]
    assert written > STARTS / 100
    assert alive > STARTS / 2
    assert not any(path.name.endswith(".tmp") for path in directory.iterdir())
    assert json.loads((directory / FILE_NAME).read_text()).keys() == {"processId"} if (directory / FILE_NAME).exists() else True
