"""A connection of type aws as the settings of a lake; what it cannot say is refused, and no value is repeated."""

import pytest

from holdfast.adapters.lake import lake_connection
from holdfast.adapters.lake.address import LakeAddress
from holdfast.errors import InvalidInput

URL = "s3://bucket/lake"
SECRET = "the-secret-key-of-4711"


def test_keys_and_endpoint_are_what_s3fs_is_opened_with() -> None:
    extras = {
        "endpoint_url": "https://store.example:9000",
        "region_name": "eu-central-1",
        "verify": "/etc/ca.pem",
        "aws_session_token": "t",
    }
    extras |= {"config_kwargs": {"s3": {"addressing_style": "path"}}}
    made = lake_connection.address(URL, "the-key", SECRET, extras)

    config = made.settings["config_kwargs"]
    assert {name: value for name, value in made.settings.items() if name != "config_kwargs"} == {
        "key": "the-key",
        "secret": SECRET,
        "token": "t",
        "endpoint_url": "https://store.example:9000",
        "client_kwargs": {"region_name": "eu-central-1", "verify": "/etc/ca.pem"},
    }
    assert config["s3"] == {"addressing_style": "path"}
    assert config["connect_timeout"] < 60
    assert SECRET not in repr(made)


def test_keys_may_be_in_the_extras_and_a_profile_needs_none() -> None:
    made = lake_connection.address(URL, extras={"aws_access_key_id": "k", "aws_secret_access_key": SECRET})
    assert (made.settings["key"], made.settings["secret"]) == ("k", SECRET)
    assert lake_connection.address(URL, extras={"profile_name": "lake"}).settings["profile"] == "lake"
    assert set(lake_connection.address(URL).settings) == {"config_kwargs"}


@pytest.mark.parametrize(
    ("login", "password", "extras", "problem"),
    [
        ("k", None, {}, "without its secret"),
        (None, SECRET, {}, "a secret without its key"),
        (None, None, {"role_arn": "arn:aws:iam::1:role/x"}, "'role_arn'; there are .*profile_name"),
        (None, None, {"endpoint": "http://x"}, "'endpoint'; there are endpoint_url"),
        (None, None, {"endpoint_url": 9000}, "endpoint_url in its extras is not a string"),
        (None, None, {"verify": 1.5}, "verify in its extras"),
        (None, None, {"config_kwargs": {"s3": {"addressing_style": SECRET}}}, "path, virtual, auto, and nothing else"),
        (None, None, {"config_kwargs": {"proxies": {"http": "x"}}}, "path, virtual, auto, and nothing else"),
    ],
)
def test_what_a_connection_cannot_say_is_refused(
    login: str | None, password: str | None, extras: dict[str, object], problem: str
) -> None:
    with pytest.raises(InvalidInput, match=f"^the connection holdfast_lake: .*{problem}") as refusal:
        lake_connection.address(URL, login, password, extras)
    assert SECRET not in str(refusal.value)


def test_a_url_alone_is_opened_by_what_the_environment_has() -> None:
    assert lake_connection.address_of("/a/folder") == LakeAddress("/a/folder")
    assert lake_connection.address_of("gs://bucket/lake") == LakeAddress("gs://bucket/lake")
    assert set(lake_connection.address_of("s3a://bucket/lake").settings) == {"config_kwargs"}


def test_addresses_with_other_keys_are_others() -> None:
    """Pages keep what they have read, by the address."""
    one, other = (lake_connection.address(URL, "k", secret) for secret in ("a", "b"))
    assert one != other
    assert hash(one) == hash(other)
