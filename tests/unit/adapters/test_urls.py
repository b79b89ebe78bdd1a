import pytest

from holdfast.adapters.urls import parts_of

MALFORMED = [
    "https://[::1/path",
    "http://host:port/",
    "http://host:70000",
    "ssh://a@[half:22/x",
    "ssh://host/a\nb",
    "ssh://ho\tst/a",
]


@pytest.mark.parametrize("url", MALFORMED)
def test_a_malformed_url_has_no_parts(url: str) -> None:
    assert parts_of(url) is None


def test_the_parts_are_those_of_the_url() -> None:
    parts = parts_of("https://user@[::1]:8443/path?query")
    assert parts is not None
    assert (parts.scheme, parts.hostname, parts.port, parts.username, parts.path) == ("https", "::1", 8443, "user", "/path")
