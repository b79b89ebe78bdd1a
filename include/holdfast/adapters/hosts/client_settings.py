"""Settings of a client as they go to what writes them on its host, and as they come from what reads them there: JSON, never words
of a command. A value that could be more than one line of a properties file, or a secret, is refused."""

import json
import re
from collections.abc import Collection, Mapping

from holdfast import secrecy
from holdfast.errors import HostTrouble
from holdfast.rollout.text.format import printable

LONGEST_VALUE = 4_096
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}", re.ASCII)
NONE_OF_PODS = "Settings of pods are kept with what they are made from (a ConfigMap, a chart): a person changes them there."


def refused(settings: Mapping[str, str | None]) -> str | None:
    """Why these are not written, in a sentence. None: they can be."""
    for key, value in settings.items():
        if not _KEY.fullmatch(key):
            return f"{printable(key, 100)} is no key of a properties file: letters, digits and ._- can be in one."
        if value is not None and not _is_value(value):
            return f"The value of {key} is longer than {LONGEST_VALUE:,} characters, or has one that cannot be printed."
        if secrecy.is_secret_name(key) or (value is not None and secrecy.holds_secret(value)):
            return f"{key} holds a secret, and Holdfast writes none."
    return None


def to_write(settings: Mapping[str, str | None]) -> bytes:
    """`{"num.standby.replicas": "1", "acceptable.recovery.lag": null}`; null: it is to be removed."""
    return json.dumps(dict(settings)).encode()


def to_read(keys: Collection[str]) -> bytes:
    """`["num.standby.replicas"]`."""
    return json.dumps(list(keys)).encode()


def from_json(content: bytes, keys: Collection[str], who: str) -> dict[str, str | None]:
    """Of an object with those of the keys that are set; others in it are ignored. Raise HostTrouble for anything else."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        document = None
    return from_object(document, keys, who)


def from_object(document: object, keys: Collection[str], who: str) -> dict[str, str | None]:
    """As `from_json`. No value is repeated in a message."""
    if not isinstance(document, dict):
        raise HostTrouble(f'{who} returned no settings: an object such as {{"num.standby.replicas": "1"}} is needed', begun=False)
    found: dict[str, str | None] = {}
    for key in keys:
        value = document.get(key)
        text = str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int | float | str) else None
        if (text is None and value is not None) or (text is not None and not _is_value(text)):
            raise HostTrouble(
                f"{who} returned a value of {key} that is not allowed: one line of text is needed, or null", begun=False
            )
        if text is not None and secrecy.holds_secret(text):
            raise HostTrouble(f"{who} returned a value of {key} that holds a secret: it is not kept", begun=False, lasting=True)
        found[key] = text
    return found


def _is_value(text: str) -> bool:
    return len(text) <= LONGEST_VALUE and text.isprintable()
