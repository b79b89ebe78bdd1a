"""Secrets in any encoding: detected, refused before they are stored, and redacted in every message.

Pure; the standard library only. A name is a secret's by its last words (`ssl.key.password`, `apiToken`); a text holds one where
such a name has a value next to it, where an address has a user and a password, or where it is a private key or a bearer
token. Disguises are taken off first: escapes of Java's properties, of JSON and YAML, lines that go on, percent signs, letters that
only look alike.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

BLOT = "***"
LONGEST = 262_144
"""Characters of one text that are looked through: nothing that people write for Holdfast is longer. The rest is left out."""
_WORDS = (
    r"passw(?:or)?d|passphrase|passcode|pwd|secret|token|credentials?|api[_.-]?key|access[_.-]?key|account[_.-]?key|private[_.-]?key"
    r"|secret[_.-]?key(?:[_.-]?id)?|keystore[_.-]?key|(?:auth[_.-]?)?user[_.-]info|shared[_.-]?key|signature|sasl[_.-]jaas[_.-]config"
)
_KEY = re.compile(rf"(?:{_WORDS})s?\Z", re.IGNORECASE)
_IN_QUERY = r"|sig|key|auth|code"
_NO_VALUE = r"(?!\*\*\*|…|\"…|\.\.\.|\"\.\.\.|null\b|none\b|true\b|false\b)"
_VALUE = r"\"(?:[^\"\\]|\\.)+\"?|'(?:[^'\\]|\\.)+'?|(?:\\(?:\r\n|\r|\n|\\(?:\\[rn])+)[ \t\f]*|[^\s\"',;&}\])])+"
_NAMED = re.compile(rf"((?:{_WORDS})s?[\"']?[ \t]{{0,3}}[=:][ \t]{{0,3}}){_NO_VALUE}(?:{_VALUE})", re.IGNORECASE | re.DOTALL)
_QUERY = re.compile(rf"([?&](?:[\w.-]{{0,60}}-)?(?:{_WORDS}{_IN_QUERY})=){_NO_VALUE}[^\s&\"'<>]+", re.IGNORECASE)
_USER_AND_PASSWORD = re.compile(r"://[^\s\"'<>@/:]{0,128}:(?!\d{1,5}(?:[/\s\"',?]|\Z))[^\s\"'<>]{0,256}@(?!\s)")
_USER = re.compile(r"://(?!\*\*\*@)[^\s\"'<>@/:,]{1,256}@(?!\s)")
_ADDRESS = re.compile(r"(?:(?<=[\s,\"'=/])|\A)(?!\*\*\*)[^\s:/@,\"'=]{1,256}:[^\s:/@,\"']{1,256}@(?=[\w.\[-]{1,255}(?::\d|\b))")
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]{0,40}-----|\Z)", re.DOTALL)
_BEARER = re.compile(r"\b((?:bearer|basic)[ \t]{1,3})[A-Za-z0-9._~+/=-]{16,}", re.IGNORECASE)
_JWT = re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?")
_GOES_ON = re.compile(r"\\(?:\r\n|\r|\n)[ \t\f]*")
_ESCAPE = re.compile(r"\\(?:u+([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8})|([^\r\n]))")
_PLAIN = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_LOGIN = re.compile(r"\A(ssh://)[A-Za-z0-9_][A-Za-z0-9_.\\-]{0,127}\$?@(?=[\w.{\[-])", re.ASCII)
_LINES = re.compile(r"((?<!\\)\n)")
_READINGS = 3


def redact(text: str) -> str:
    """The text with *** in the place of what looks like a secret. Of a line that holds one in disguise nothing is left."""
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}…"
    text = _blotted(text)
    if (text.isascii() and "\\" not in text and "%" not in text) or not _is_disguised(text):
        return text
    text = "".join(BLOT if _is_disguised(line) else line for line in _LINES.split(text))
    return BLOT if _is_disguised(text) else text


def _is_disguised(text: str) -> bool:
    return any(_blotted(reading) != reading for reading in _readings(text))


def _blotted(text: str) -> str:
    """Each pattern is tried where a character is that it cannot do without: most texts are names and numbers."""
    if "-----" in text:
        text = _PRIVATE_KEY.sub(BLOT, text)
    if "@" in text:
        text = _USER_AND_PASSWORD.sub(f"://{BLOT}@", text)
        text = _USER.sub(f"://{BLOT}@", text)
        text = _ADDRESS.sub(f"{BLOT}@", text)
    if "=" in text or ":" in text:
        text = _QUERY.sub(rf"\1{BLOT}", text)
        text = _NAMED.sub(rf"\1{BLOT}", text)
    if " " in text or "\t" in text:
        text = _BEARER.sub(rf"\1{BLOT}", text)
    return _JWT.sub(BLOT, text) if "eyJ" in text else text


def is_secret_name(name: str) -> bool:
    """Whether a value under this name is a secret."""
    return any(_KEY.search(reading.strip(" \t\r\n\f'\"")) is not None for reading in _readings(name))


def holds_secret(text: str) -> bool:
    """Whether the text, in any reading, holds what looks like a secret."""
    return len(text) > LONGEST or _is_disguised(text)


def without_user(url: str) -> str:
    """The URL of a host over SSH without the name of the user who logs in, which is no secret. One with a password, however it is
    encoded, and any other text, is returned unchanged."""
    return _LOGIN.sub(r"\1", url)


def find(document: object) -> tuple[str, str] | None:
    """Where in a JSON value the first secret is, and what gives it away; without its value. None: there is none."""
    waiting: list[tuple[str, object]] = [("", document)]
    while waiting:
        where, value = waiting.pop()
        if isinstance(value, Mapping):
            for key, inner in value.items():
                place = f"{where}.{redact(str(key))}".lstrip(".")
                if inner not in (None, "", [], {}) and is_secret_name(str(key)):
                    return place, "is the name of a secret"
                if holds_secret(str(key)):
                    return where, "has a key that holds a secret"
                waiting.append((place, inner))
        elif isinstance(value, list | tuple):
            waiting.extend((f"{where}[{number}]", inner) for number, inner in enumerate(value))
        elif isinstance(value, str) and holds_secret(value):
            return where, "holds a secret (a password, a token, a private key, or an address with credentials)"
    return None


def _readings(text: str) -> Iterator[str]:
    """The text unchanged, and with its encodings removed, one layer after the other."""
    seen = {text}
    yield text
    for _ in range(_READINGS):
        for off in (_same_letters, _unescaped, unquote):
            text = off(text)
            if text not in seen:
                seen.add(text)
                yield text


def _same_letters(text: str) -> str:
    """Letters that only look different made the same, and what has no width gone."""
    if text.isascii():
        return text
    return "".join(each for each in unicodedata.normalize("NFKC", text) if unicodedata.category(each) != "Cf")


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_requested, _GOES_ON.sub("", text))


def _requested(escape: re.Match[str]) -> str:
    digits = escape[1] or escape[2] or escape[3]
    if digits is None:
        return _PLAIN.get(escape[4], escape[4])
    number = int(digits, 16)
    return chr(number) if number < 0x110000 else ""
