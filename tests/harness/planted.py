"""Secrets that are planted, each another one, and the search for them in every byte that was written or shown.

    planted = Planted()
    give_to_somebody(planted("a broker's password"))
    assert planted.found_in(folder) == set()

A search knows what others make of a text: base64 (of the text, and of what SASL sends), hexadecimal, percent signs, UTF-16; and it
looks into what is packed: Parquet, gzip, zip, zlib.
"""

import base64
import gzip
import io
import secrets
import sqlite3
import threading
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

LARGEST = 256 * 1024**2
"""Of one file, or of what is unpacked of it. More is a failure, not a file that was left out."""


class Planted:
    """Secrets by what they are for. `+`, `/` and a space inside: encoding changes how they look."""

    def __init__(self) -> None:
        self._secrets: dict[str, str] = {}
        self._looks: dict[str, tuple[bytes, ...]] = {}

    def __call__(self, label: str) -> str:
        """A secret, for ever the same for one label."""
        if label not in self._secrets:
            self.know(label, f"oPen5{secrets.token_hex(6)}+/e{secrets.token_hex(6)}")
        return self._secrets[label]

    def know(self, label: str, secret: str) -> None:
        """A secret that another program generated."""
        assert len(secret) >= 8, f"{label} is too short to be searched for"
        self._secrets[label] = secret
        self._looks[label] = tuple(_looks(secret))

    def labels_in(self, content: bytes) -> set[str]:
        """Of the secrets that the bytes hold, in whatever dress."""
        return {label for label, looks in [*self._looks.items()] if any(look in content for look in looks)}

    def found_in(self, folder: Path, *left_out: str) -> set[tuple[str, str]]:
        """(Label, path below the folder) of every secret in a file's name or content. `left_out`: names of files."""
        found = set()
        for path in sorted(folder.rglob("*")):
            where = str(path.relative_to(folder))
            found |= {(label, where) for label in self.labels_in(where.encode())}
            if path.is_file() and not path.is_symlink() and path.name not in left_out:
                found |= {(label, where) for content in contents(path) for label in self.labels_in(content)}
        return found

    def found_in_database(self, database: Path) -> set[tuple[str, str]]:
        """(Label, `table.column`) of every secret in a cell of an SQLite database."""
        return {
            (label, f"{table}.{column}")
            for table, column, cell in cells(database)
            for each in _unpacked(cell)
            for label in self.labels_in(each)
        }


def cells(database: Path) -> Iterator[tuple[str, str, bytes]]:
    """Table, column and content of every cell of an SQLite database."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as opened:
        tables = [name for (name,) in opened.execute("select name from sqlite_master where type = 'table'")]
        for table in tables:
            rows = opened.execute(f'select * from "{table}"')
            names = [one[0] for one in rows.description]
            for row in rows:
                for name, value in zip(names, row, strict=True):
                    yield table, name, value if isinstance(value, bytes) else str(value).encode(errors="replace")


def _looks(secret: str) -> Iterator[bytes]:
    plain = secret.encode()
    yield plain
    yield quote(secret, safe="").encode()
    yield secret.replace("/", "\\/").encode()
    yield secret.encode("utf-16-le")
    yield plain.hex().encode()
    for before in range(3):  # base64 of a longer text: three places where this one may begin
        coded = base64.b64encode(b"\0" * before + plain)
        middle = coded[-(-before * 8 // 6) : len(coded) // 4 * 4 - 4]
        yield middle
        yield middle.translate(bytes.maketrans(b"+/", b"-_"))


def contents(path: Path) -> Iterator[bytes]:
    """The bytes of a file, and what is packed in them."""
    assert path.stat().st_size <= LARGEST, f"{path} is too large to be searched"
    content = path.read_bytes()
    if content[:4] == b"PAR1":
        import pyarrow.parquet

        yield content
        yield str(pyarrow.parquet.ParquetFile(path).read().to_pylist()).encode()
        return
    yield from _unpacked(content)


def _unpacked(content: bytes) -> Iterator[bytes]:
    yield content
    if content[:2] == b"\x1f\x8b":
        with gzip.open(io.BytesIO(content)) as packed:
            yield packed.read(LARGEST)
    elif content[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            for one in packed.infolist():
                assert one.file_size <= LARGEST
                yield packed.read(one)
    elif content[:1] == b"\x78":
        try:
            yield zlib.decompressobj().decompress(content, LARGEST)
        except zlib.error:
            return


@contextmanager
def watched_processes(planted: Planted) -> Iterator[set[tuple[str, str]]]:
    """(Label, command line) of every process that shows a secret to callers of `ps`, while the context is open."""
    found: set[tuple[str, str]] = set()
    ended = threading.Event()

    def watch() -> None:
        seen: set[bytes] = set()  # what is planted later cannot be in a line that was there before
        while not ended.wait(0.3):
            for place in Path("/proc").glob("[0-9]*/cmdline"):
                with suppress(OSError):
                    line = place.read_bytes()
                    if line not in seen:
                        seen.add(line)
                        found.update((label, line.decode(errors="replace")) for label in planted.labels_in(line))

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield found
    finally:
        ended.set()
        watching.join()
