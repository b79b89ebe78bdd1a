"""The signing keys of the command line, and documents read with them."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from holdfast.adapters import key_file
from holdfast.cli import documents
from holdfast.rollout.journal import seal
from holdfast.rollout.journal.seal import Seal, Sealed, SigningKeys

T = TypeVar("T")

key_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--key-file",
    metavar="FILE",
    envvar=key_file.VARIABLE,
    help="The deployment's signing keys, one per line: the first signs, all are accepted. Without it nothing is signed.",
)


def value(path: str, read: Callable[[object], T], kind: Sealed, keys: SigningKeys) -> tuple[T, Seal]:
    """The document in `path`, and what its signature says. Raise StepRefused for one that these keys did not sign."""
    document = documents.read_document(path)
    with documents.naming(path):
        found = read(document)
    stands = seal.seal_of(document, kind, keys)
    seal.refuse(stands, f"The {kind.value} in {path}", keys)
    return found, stands


def say_unsigned(what: str, keys: SigningKeys) -> None:
    """On standard error: what was written is not signed."""
    if not keys:
        click.echo(f"{what} not signed: any user with write access can change it undetected. Give --key-file to sign.", err=True)


def say_unchecked(what: str, stands: Seal) -> None:
    if stands is Seal.UNCHECKED:
        click.echo(f"{what}: {stands.value}. Give --key-file to check it.", err=True)
