"""Which hosts `{host}` stands for."""

import pytest

from holdfast.errors import InvalidInput
from holdfast.rollout.disks.host_templates import Hosts, is_host


def test_hosts_are_named_once_in_order_and_without_what_java_writes() -> None:
    found = Hosts.of(("/10.0.0.2", "app/10.0.0.1", None, "", "app-1", "/10.0.0.2", "/0:0:0:0:0:0:0:1"))

    assert found == Hosts(("0:0:0:0:0:0:0:1", "10.0.0.1", "10.0.0.2", "app-1"))
    assert found.expanded("ssh://{host}:22/x")[:2] == ("ssh://[0:0:0:0:0:0:0:1]:22/x", "ssh://10.0.0.1:22/x")
    assert found.expanded("/x") == ("/x",)
    found.refuse_no_names("here are")


@pytest.mark.parametrize("name", ["..", ".", "a b", "-x", "a/b", "x@y", "$(id)", "fe80::1%eth0", "a:22", "a\n", "a" * 254, "é"])
def test_what_cannot_be_a_host_is_part_of_no_url(name: str) -> None:
    found = Hosts.of((name, "app-1"))

    assert not is_host(name)
    assert found.expanded("/mnt/{host}/x") == ("/mnt/app-1/x",)
    with pytest.raises(InvalidInput, match=r"here is 1 host that cannot be part of a URL: '[^\\\n]*(\\u000a)?';"):
        found.refuse_no_names("here is")
