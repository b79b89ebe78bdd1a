"""Documents between files and values: `-` is standard input, reads are bounded, files are written completely or not at all."""

import os
import secrets
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import click

from holdfast.errors import InvalidInput, StatePathTrouble
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.strict import LARGEST_DOCUMENT, dumps, loads

STANDARD_INPUT = "-"
LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one line with `--jsonl`."""


def read_document(path: str) -> object:
    """The JSON document in the file `path`. Raise InvalidInput, naming the file, if there is none or it is not JSON."""
    content = read_bytes(path, LARGEST_DOCUMENT)
    with naming(path):
        return loads(content)


def read_bytes(path: str, most: int) -> bytes:
    """The content of the file `path`, up to one byte more than `most`: the caller refuses that."""
    with _opened(path) as stream:
        return stream.read(most + 1)


def read_lines(path: str) -> Iterator[tuple[int, bytes | InvalidInput]]:
    """The lines of a file with their numbers from 1, blank ones left out; a line that is too long is a refusal in its place."""
    with _opened(path) as stream:
        number = 0
        while line := stream.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
                _skip_line(stream)
                yield number, InvalidInput(f"the line is longer than {LONGEST_LINE:,} bytes")
            elif line.strip():
                yield number, line


def _skip_line(stream: BinaryIO) -> None:
    while rest := stream.readline(LONGEST_LINE):
        if rest.endswith(b"\n"):
            return


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Puts the file's name before what is wrong in it."""
    try:
        yield
    except InvalidInput as problem:
        raise InvalidInput(f"{label(path)}: {problem}") from None


def label(path: str) -> str:
    return "standard input" if path == STANDARD_INPUT else path


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    if path == STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    try:
        with Path(path).open("rb") as stream:
            yield stream
    except FileNotFoundError:
        raise InvalidInput(f"There is no file {path!r}. Give a path, or - for standard input.") from None
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        raise InvalidInput(f"{path!r} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def write_text_whole(path: str, text: str, mode: int = 0o644) -> None:
    """Write a file next to its place, sync it, and rename it there: a reader sees the old one or the new one, never a
    part. `mode`: who may read it."""
    place = Path(path)
    next_to_it = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(next_to_it, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        next_to_it.replace(place)
        folder = os.open(place.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError):
            next_to_it.unlink()
        raise StatePathTrouble(f"{path!r} cannot be written: {getattr(error, 'strerror', None) or error}") from None


def settings(pairs: tuple[str, ...]) -> tuple[tuple[str, ConfigValue], ...]:
    """The values of `--set KEY=VALUE`, as text: `kafka.streams.config.read` reads text as Kafka does."""
    found: dict[str, ConfigValue] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise InvalidInput(f"--set {pair!r}: KEY=VALUE is needed, for example max.warmup.replicas=6")
        if key.strip() in found:
            raise InvalidInput(f"--set {key.strip()!r} is given twice; once is enough")
        found[key.strip()] = value.strip()
    return tuple(found.items())


def print_document(document: object, *, indent: int | None = 2) -> None:
    """A document and nothing else on standard output."""
    click.echo(dumps(document, indent=indent))


def print_lines(answers: Iterable[tuple[str, bool]]) -> int:
    """An answer a line, when ready; the exit status: 1 if one was a refusal."""
    status = 0
    for answer, good in answers:
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()  # (click.echo takes twice as long as both)
        status = status if good else 1
    return status
