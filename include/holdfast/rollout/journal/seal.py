"""Signatures of plans, decisions, journal entries and leases: HMAC with a key of this deployment, over the whole document.

HMAC-SHA256 with a key derived by HKDF (RFC 5869) from the one that was given, so that a key that has another use elsewhere
(Airflow's Fernet key) is used for nothing but this here. What is signed is the kind of document and its canonical text; a signature
of an approval is none of a plan. The first key signs, each of them is believed: that is how keys are changed.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from holdfast.errors import InvalidInput, StepRefused
from holdfast.rollout.json import strict

ALGORITHM = "HMAC-SHA256"
FIELD = "signature"
SHORTEST_KEY = 32
LONGEST_KEYS = 4_096
MOST_KEYS = 10
_SIGNS = b"holdfast: signs what is kept about a plan, 1"
_NAMES = b"holdfast: names a signing key, 1"
_VALUE = re.compile(r"[0-9a-f]{64}", re.ASCII)


class Sealed(StrEnum):
    """What is signed."""

    PLAN = "plan"
    APPROVAL = "approval"
    ENTRY = "journal entry"
    HEAD = "journal head"
    LEASE = "lease"
    DRAFT = "draft of a run"
    MADE = "plan of a run"
    ASKED = "who was asked in a run"


class Seal(StrEnum):
    """What a document's signature says."""

    SIGNED = "signed by this deployment"
    UNSIGNED = "not signed"
    MISMATCH = "signature does not match"
    ANOTHER_KEY = "signed with a key that is unknown here"
    UNCHECKED = "signed, and no key is here to check it"


@dataclass(frozen=True, slots=True)
class SigningKeys:
    """The keys of a deployment; without any nothing is signed and nothing can be checked. They are never shown."""

    derived: tuple[tuple[str, bytes], ...] = field(default=(), repr=False)
    """Name and key, the one that signs first."""

    def __bool__(self) -> bool:
        return bool(self.derived)

    def __repr__(self) -> str:
        return f"SigningKeys({len(self.derived)})"

    @classmethod
    def read(cls, text: str, whence: str) -> "SigningKeys":
        """From one key, or several with commas or line ends between them. Raise InvalidInput that repeats none of it."""
        given = [part.strip() for line in text.splitlines() for part in line.split(",")]
        keys = list(dict.fromkeys(part.encode() for part in given if part))
        if len(text) > LONGEST_KEYS or len(keys) > MOST_KEYS:
            raise InvalidInput(f"{whence} holds more than {MOST_KEYS} keys, or more than {LONGEST_KEYS:,} characters")
        if not keys or any(len(key) < SHORTEST_KEY for key in keys):
            raise InvalidInput(
                f"{whence} holds no signing key, or one of fewer than {SHORTEST_KEY} characters. Make one with"
                " `openssl rand -base64 32`"
            )
        return cls(tuple((derived(key, _NAMES, 8).hex(), derived(key, _SIGNS, 32)) for key in keys))


NO_KEYS = SigningKeys()


def derived(key: bytes, purpose: bytes, length: int, salt: bytes = b"") -> bytes:
    """HKDF with SHA-256."""
    secret = hmac.digest(salt or bytes(hashlib.sha256().digest_size), key, "sha256")
    found = block = b""
    for number in range(1, -(-length // hashlib.sha256().digest_size) + 1):
        block = hmac.digest(secret, block + purpose + bytes([number]), "sha256")
        found += block
    return found[:length]


def signed(content: Mapping[str, object], kind: Sealed, keys: SigningKeys) -> dict[str, object]:
    """The document with its signature as the last field; unchanged where there is no key."""
    bare = {name: value for name, value in content.items() if name != FIELD}
    if not keys:
        return bare
    name, key = keys.derived[0]
    return bare | {FIELD: {"algorithm": ALGORITHM, "key": name, "value": _value(bare, kind, key)}}


def seal_of(content: object, kind: Sealed, keys: SigningKeys) -> Seal:
    """What the signature of a document says, as it was read. A signature that is none does not match."""
    signature = content.get(FIELD) if isinstance(content, dict) else None
    if not isinstance(content, dict) or signature is None:
        return Seal.UNSIGNED
    if not keys:
        return Seal.UNCHECKED
    if not isinstance(signature, dict) or signature.keys() != {"algorithm", "key", "value"}:
        return Seal.MISMATCH
    value = signature["value"]
    if signature["algorithm"] != ALGORITHM or not isinstance(value, str) or not _VALUE.fullmatch(value):
        return Seal.MISMATCH
    key = dict(keys.derived).get(str(signature["key"]))
    if key is None:
        return Seal.ANOTHER_KEY
    bare = {name: part for name, part in content.items() if name != FIELD}
    return Seal.SIGNED if hmac.compare_digest(_value(bare, kind, key), value) else Seal.MISMATCH


def _value(bare: Mapping[str, object], kind: Sealed, key: bytes) -> str:
    message = f"{kind.value}\n{strict.dumps(bare)}"
    return hmac.digest(key, message.encode("ascii"), "sha256").hex()


def worst(seals: Iterable[Seal]) -> Seal:
    """Of several documents that belong together."""
    order = (Seal.MISMATCH, Seal.ANOTHER_KEY, Seal.UNSIGNED, Seal.UNCHECKED, Seal.SIGNED)
    return min(seals, key=order.index, default=Seal.UNSIGNED)


def refuse(seal: Seal, what: str, keys: SigningKeys) -> None:
    """Raise StepRefused for what is not signed by one of these keys. Without keys nothing can be checked, so nothing is refused."""
    if keys and seal is not Seal.SIGNED:
        raise StepRefused(f"{what}: {seal.value}, and this deployment signs. {_REMEDY[seal]}")


_REMEDY = {
    Seal.UNSIGNED: "It was written by hand, or before there was a key: create a new plan and have it approved.",
    Seal.MISMATCH: "It was changed after it was signed. Find out who writes there, then create a new plan and have it approved.",
    Seal.ANOTHER_KEY: "Add the former key after the present one; or create a new plan and have it approved.",
}
