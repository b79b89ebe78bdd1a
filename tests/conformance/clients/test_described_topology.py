"""What Kafka Streams itself prints of a topology, read by Holdfast: of a release before and after nodes were named otherwise."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.harness.kafka.maven import compile_java, java_tool, kafka_streams
from tests.harness.kafka.streams_app import drawn_program

from holdfast.kafka.topology_description import read

PARTS = (
    {"kind": "table", "name": "table"},
    {"kind": "count", "name": "count"},
    {"kind": "stream-table", "name": "joined"},
    {"kind": "global", "name": "global"},
    {"kind": "recount", "name": "recount", "store": "unlogged"},
    {"kind": "stateless", "name": "stateless"},
)
SERDE = "org.apache.kafka.common.serialization.Serdes$StringSerde"
SETTINGS = {
    "application.id": "app",
    "bootstrap.servers": "127.0.0.1:1",
    "drawn.prefix": "in-",
    "topology.optimization": "all",
    "default.key.serde": SERDE,
    "default.value.serde": SERDE,
}


@pytest.mark.parametrize("release", ["2.8.2", "4.3.1"])
def test_stores_of_subtopologies(release: str, tmp_path: Path) -> None:
    properties = tmp_path / "streams.properties"
    properties.write_text("".join(f"{key}={value}\n" for key, value in SETTINGS.items()), encoding="utf-8")
    jars, program, parts = kafka_streams(release), drawn_program(json.dumps(PARTS)), json.dumps(PARTS)
    path = f"{compile_java(program.sources, jars)}:{jars}"
    command = [java_tool("java"), "-cp", path, program.main, str(properties), parts, "-"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout

    assert [(one.number, one.sources, one.stores) for one in read(printed)] == [
        (0, ("in-table",), (("table", "in-table"),)),
        (1, ("in-count",), (("count", None),)),
        (2, ("in-joined", "in-joined-other"), (("joined", "in-joined-other"),)),
        (3, ("in-global",), ()),
        (5, ("in-recount",), ()),
        (6, ("recount-repartition",), (("recount", None),)),
        (7, ("in-stateless",), ()),
    ]
