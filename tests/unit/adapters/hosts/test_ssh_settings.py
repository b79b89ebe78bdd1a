"""URLs of hosts, and what an Airflow connection says of them."""

import pytest

from holdfast.adapters.hosts.ssh_settings import SshSettings, Target, known_hosts_text, of_connection, target
from holdfast.errors import InvalidInput


@pytest.mark.parametrize(
    ("url", "expected", "shown"),
    [
        ("ssh://host/var/wc", Target("host", None, None, "/var/wc", None), "ssh://host/var/wc"),
        ("ssh://me@host:2222/var/w%20c", Target("host", 2222, "me", "/var/w c", None), "ssh://host:2222/var/w c"),
        ("ssh://host/wc?sudo=streams", Target("host", None, None, "/wc", "streams"), "ssh://host/wc"),
        ("ssh://host/w%ffc", Target("host", None, None, "/w\udcffc", None), "ssh://host/w%FFc"),
        ("ssh://[::1]:22/wc", Target("::1", 22, None, "/wc", None), "ssh://[::1]:22/wc"),
    ],
)
def test_urls(url: str, expected: Target, shown: str) -> None:
    assert target(url) == expected
    assert target(url).shown == shown


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ssh://me:topsecret@host/x", "password"),
        ("ssh://{host}/x", "give a URL each"),
        ("ssh://-oProxyCommand=id/x", "cannot be reached"),
        ("ssh://$(id)/x", "cannot be reached"),
        ("ssh://host", "cannot be reached"),
        ("ssh:///x", "no host"),
        ("ssh://ho st/x", "cannot be reached"),
        ("ssh://host:99999/x", "malformed"),
        ("ssh://[::1/x", "malformed"),
        ("ssh://host/x#y", "cannot be reached"),
        ("ssh://host/x?sudo=", "unknown parameter"),
        ("ssh://host/x?key=topsecret", "unknown parameter"),
        ("ssh://host/x?sudo=a%3Bid", "user name"),
        ("ssh://-x@host/x", "user name"),
        ("ssh://$(id)@host/x", "user name"),
    ],
)
def test_urls_that_are_refused(url: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=why) as refused:
        target(url)
    assert "topsecret" not in str(refused.value)


def test_an_airflow_connection() -> None:
    extras = {"key_file": "/k", "private_key_passphrase": "p", "host_key": "AAAA", "sudo_user": "streams", "timeout": 5}
    found = of_connection("h", 2222, "me", "secret", extras, "conn")

    assert found == SshSettings(
        user="me",
        port=2222,
        password="secret",
        key_files=("/k",),
        passphrase="p",
        host_keys=("[h]:2222 ssh-rsa AAAA",),
        sudo_user="streams",
        from_home=False,
    )
    assert "secret" not in repr(found)
    assert set(found.secrets) == {"secret", "p"}
    assert of_connection("h", 22, None, None, {"host_key": "ssh-ed25519 AAAA"}, "conn").host_keys == ("h ssh-ed25519 AAAA",)


@pytest.mark.parametrize(
    ("extras", "why"),
    [
        ({"no_host_key_check": True}, "always checks host keys"),
        ({"no_host_key_check": "true"}, "always checks host keys"),
        ({"allow_host_key_change": "1"}, "always checks host keys"),
        ({"private_key": {"a": 1}}, "not a string"),
        ({"sudo_user": "a b"}, "no user name"),
    ],
)
def test_connections_that_are_refused(extras: dict[str, object], why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        of_connection("h", None, None, None, extras, "conn")


def test_a_key_needs_its_host() -> None:
    with pytest.raises(InvalidInput, match="without a host"):
        of_connection("", None, None, None, {"host_key": "AAAA"}, "conn")


def test_known_hosts_that_are_named_must_be_there() -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        known_hosts_text(SshSettings(known_hosts=("/no/such/file",)))
    assert known_hosts_text(SshSettings(host_keys=("a b c",))).startswith("a b c")
