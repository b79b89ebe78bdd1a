"""Airflow's connection `holdfast_lake` as the settings of a lake on S3: the fields that Amazon's provider has for type aws."""

from collections.abc import Mapping
from typing import Any

from holdfast.adapters.lake.address import LakeAddress
from holdfast.errors import InvalidInput

CONN_ID = "holdfast_lake"
TYPE = "aws"
SCHEMES = ("s3", "s3a")
FIELDS = (
    *("endpoint_url", "region_name", "profile_name", "verify", "config_kwargs"),
    *("aws_access_key_id", "aws_secret_access_key", "aws_session_token"),
)
"""What the extras may have. Keys are the login and the password, or in the extras."""
STYLES = ("path", "virtual", "auto")
_USUAL = {"connect_timeout": 10, "read_timeout": 60, "retries": {"mode": "standard", "max_attempts": 4}}


def takes(url: str) -> bool:
    """Whether the connection is for such a URL; the libraries of other stores find their own credentials."""
    return url.partition("://")[0] in SCHEMES


def address_of(place: str | LakeAddress) -> LakeAddress:
    """Of a URL alone: what it is opened with is in the environment."""
    if isinstance(place, LakeAddress):
        return place
    return address(place) if takes(place) else LakeAddress(place)


def address(
    url: str, login: str | None = None, password: str | None = None, extras: Mapping[str, Any] | None = None
) -> LakeAddress:
    """Where the lake is, with what the connection says; without a connection, with what the environment says.

    Raise InvalidInput for what the extras have beyond `FIELDS`, and for half of a pair of keys. Nothing of a value is repeated.
    """
    given = dict(extras or {})
    unknown = sorted(given.keys() - set(FIELDS))
    if unknown:
        hint = " A role is assumed by a profile: name it in profile_name." if any("role" in name for name in unknown) else ""
        raise _wrong(f"its extras have {', '.join(map(repr, unknown))[:200]}; there are {', '.join(FIELDS)}.{hint}")
    texts = {name: given[name] for name in FIELDS if name not in ("verify", "config_kwargs") and given.get(name) not in (None, "")}
    wrong = [name for name, value in texts.items() if not isinstance(value, str)]
    if wrong:
        raise _wrong(f"{wrong[0]} in its extras is not a string")
    keys = (login or texts.get("aws_access_key_id"), password or texts.get("aws_secret_access_key"))
    if bool(keys[0]) != bool(keys[1]):
        raise _wrong("it has an access key without its secret, or a secret without its key: give both (login, password) or neither")
    client = {"region_name": texts.get("region_name"), "verify": _verify(given.get("verify"))}
    found = {
        "key": keys[0],
        "secret": keys[1],
        "token": texts.get("aws_session_token"),
        "endpoint_url": texts.get("endpoint_url"),
        "profile": texts.get("profile_name"),
        "client_kwargs": {name: value for name, value in client.items() if value is not None},
        "config_kwargs": _USUAL | _style(given.get("config_kwargs")),
    }
    return LakeAddress(url, {name: value for name, value in found.items() if value})


def _verify(value: object) -> object:
    if value is None or isinstance(value, (bool, str)):
        return value
    raise _wrong("verify in its extras is neither a path of certificates nor true or false")


def _style(value: object) -> dict[str, Any]:
    if value in (None, {}):
        return {}
    style = value.get("s3", {}).get("addressing_style") if isinstance(value, dict) and isinstance(value.get("s3"), dict) else None
    if style not in STYLES or value != {"s3": {"addressing_style": style}}:
        raise _wrong(
            f'config_kwargs in its extras can be {{"s3": {{"addressing_style": …}}}}, {", ".join(STYLES)}, and nothing else'
        )
    return {"s3": {"addressing_style": style}}


def _wrong(problem: str) -> InvalidInput:
    return InvalidInput(f"the connection {CONN_ID}: {problem}")
