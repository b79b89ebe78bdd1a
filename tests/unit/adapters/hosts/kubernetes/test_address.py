"""Addresses in pods: what they stand for, and that nothing hostile gets past them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapters.hosts.kubernetes import address
from holdfast.adapters.hosts.kubernetes.address import Address
from holdfast.errors import InvalidInput


def test_an_address_has_five_parts() -> None:
    found = address.parse("kubernetes://prod/shop/words-2/app/var/lib/streams/words/")

    assert found == Address("prod", "shop", "words-2", "app", "/var/lib/streams/words")
    assert str(found) == "kubernetes://prod/shop/words-2/app/var/lib/streams/words"


@pytest.mark.parametrize(
    "cluster", ["", "user@host", "gke_p_z_n", "arn:aws:eks:eu-west-1:1:cluster/shop", "a b", "Ünï", "%41"], ids=str
)
def test_a_cluster_is_called_whatever_it_is_called(cluster: str) -> None:
    written = str(Address(cluster, "shop", "words-2", "app", "/data"))

    assert written.count("/") == 6
    assert address.parse(written).cluster == cluster


def test_templates_become_one_address_a_pod() -> None:
    found = address.parse("kubernetes:///shop/words-{ordinal}/app/data/{pod}/n{ordinal}")

    assert (found.stateful_set, found.deployment, found.is_one) == ("words", None, False)
    assert found.of("words-10") == Address("", "shop", "words-10", "app", "/data/words-10/n10")


def test_the_pods_of_a_deployment_have_no_ordinal() -> None:
    found = address.parse("kubernetes:///shop/deployment:words/app/data/{pod}")

    assert (found.stateful_set, found.deployment, found.is_one) == (None, "words", False)
    assert found.of("words-7d9f-x2x").path == "/data/words-7d9f-x2x"
    with pytest.raises(InvalidInput, match="has no ordinal"):
        address.parse("kubernetes:///shop/deployment:words/app/data/{ordinal}").of("words-7d9f-x2x")


def test_the_path_of_one_pod_may_name_it() -> None:
    assert address.parse("kubernetes:///shop/words-3/app/data/{pod}/{ordinal}").path == "/data/words-3/3"


@pytest.mark.parametrize(
    "pod",
    ["words", "words-", "-1", "words-01", "words-1x", "words-1234567890"],
    ids=["none", "empty", "no name", "01", "1x", "long"],
)
def test_names_without_an_ordinal(pod: str) -> None:
    assert address.ordinal_of(pod) is None


@pytest.mark.parametrize(
    "url",
    [
        "kubernetes://",
        "kubernetes://c/n/p/app",
        "kubernetes://c/n/p/app/",
        "kubernetes://c/n/p/app///",
        "file:///data",
        "kubernetes://c/N/p/app/data",
        "kubernetes://c/n/../app/data",
        "kubernetes://c/n/p%2F..%2Fsecrets/app/data",
        "kubernetes://c/n%2fsecrets/p/app/data",
        "kubernetes://c/n/p/app%3Fcontainer=x/data",
        "kubernetes://c/n/p%0a/app/data",
        "kubernetes://c/n/$(id)/app/data",
        "kubernetes://c/n/-p/app/data",
        "kubernetes://c/n/p./app/data",
        f"kubernetes://c/n/{'p' * 254}/app/data",
        f"kubernetes://c/{'n' * 64}/p/app/data",
        "kubernetes://c/n/p/app/data/../../etc",
        "kubernetes://c/n/p/app/data%2F..%2Fetc",
        "kubernetes://c/n/p/app/a%00b",
        "kubernetes://c/n/p/app/a%1b[2J",
        "kubernetes://c%0d%0aHost:x/n/p/app/data",
        "kubernetes://c/n/deployment:-x/app/data",
        "kubernetes://c/n/{ordinal}/app/data",
        "kubernetes://c/n/p/app/" + "x" * 4_100,
    ],
)
def test_what_no_cluster_has_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput):
        address.parse(url)


@pytest.mark.thorough
@given(st.text())
def test_no_text_gets_past_the_names(text: str) -> None:
    """What is parsed has names that are safe in a path of a request."""
    try:
        found = address.parse(f"kubernetes://c/{text}/words-0/app/data")
    except InvalidInput:
        return
    assert all(part.isascii() and part not in ("", ".", "..") for part in (found.namespace, found.pod, found.container))
    assert "/" not in f"{found.namespace}{found.pod}{found.container}"
