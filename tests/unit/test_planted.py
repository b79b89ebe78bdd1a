"""The search for planted secrets finds them in whatever dress and package; the tests with a real Airflow rely on it."""

import base64
import gzip
import json
import sqlite3
import subprocess
import sys
import time
import zipfile
import zlib
from pathlib import Path
from urllib.parse import quote_plus

import pyarrow
import pyarrow.parquet
import pytest
from tests.harness.planted import Planted, watched_processes

LABEL = "a broker's password"
DRESSES = {
    "as it is": lambda secret: f'password="{secret}"'.encode(),
    "in an address": lambda secret: f"https://h/x?p={quote_plus(secret)}".encode(),
    "in Java's JSON": lambda secret: json.dumps([secret]).replace("/", "\\/").encode(),
    "hexadecimal": lambda secret: secret.encode().hex().encode(),
    "a string of Windows": lambda secret: f"x{secret}".encode("utf-16-le"),
    **{
        f"base64 after {before} bytes": lambda secret, before=before: base64.b64encode(b"u" * before + secret.encode() + b"!")
        for before in range(4)
    },
    "in a token": lambda secret: base64.urlsafe_b64encode(json.dumps({"password": secret}).encode()),
}


@pytest.mark.thorough
@pytest.mark.parametrize("dress", DRESSES)
def test_a_secret_is_found_in_every_dress(dress: str, tmp_path: Path) -> None:
    planted = Planted()
    content = DRESSES[dress](planted(LABEL))
    planted("another")
    packages = {"log.txt": content, "log.gz": gzip.compress(content), "log.zlib": zlib.compress(content)}
    for name, packed in packages.items():
        (tmp_path / name).write_bytes(packed)
    with zipfile.ZipFile(tmp_path / "log.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("log.txt", content)
    table = pyarrow.table({"text": [content.decode("latin-1")]})
    pyarrow.parquet.write_table(table, tmp_path / "log.parquet", compression="gzip")
    named = tmp_path / "x" / content.decode("latin-1").replace("/", "_").replace("\0", "_")[:200]
    named.parent.mkdir()
    named.touch()

    found = planted.found_in(tmp_path)

    assert {where for label, where in found} >= {*packages, "log.zip", "log.parquet"}
    assert {label for label, _ in found} == {LABEL}
    assert planted.found_in(tmp_path, *packages, "log.zip", "log.parquet") <= {(LABEL, str(named.relative_to(tmp_path)))}


def test_the_cells_of_a_database_are_looked_through(tmp_path: Path) -> None:
    planted = Planted()
    with sqlite3.connect(tmp_path / "airflow.db") as database:
        database.execute("create table log (event text, extra blob)")
        database.execute("insert into log values (?, ?)", ("post", zlib.compress(planted(LABEL).encode())))

    assert planted.found_in_database(tmp_path / "airflow.db") == {(LABEL, "log.extra")}


@pytest.mark.starts
def test_a_command_line_that_shows_one_is_seen() -> None:
    planted = Planted()
    with watched_processes(planted) as seen:
        waits = [sys.executable, "-S", "-c", "import time; time.sleep(60)", planted(LABEL)]
        with subprocess.Popen(waits) as process:
            deadline = time.monotonic() + 60
            while not seen and time.monotonic() < deadline:
                time.sleep(0.05)
            process.kill()

    assert {label for label, _ in seen} == {LABEL}


def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    planted = Planted()
    planted(LABEL)
    (tmp_path / "log.txt").write_bytes(b"oPen5" * 1000)

    assert planted.found_in(tmp_path) == set()
