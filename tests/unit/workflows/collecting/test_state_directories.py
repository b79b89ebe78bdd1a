"""URLs with `{host}`: one for each host that the group's members are on."""

from tests.fakes.cluster import FakeStateDirectories

from holdfast.rollout.disks.state_directory import StateDirectory
from holdfast.workflows.collecting import state_directories
from holdfast.workflows.collecting.observed import Observed

HOSTS = ("/10.0.0.2", "/10.0.0.1", "app/10.0.0.1", "/fe80:0:0:0:0:0:0:1")


def read(urls: tuple[str, ...], hosts: tuple[str, ...]) -> tuple[list[str], list[str]]:
    known = {
        f"ssh://{host}/wc": (StateDirectory(f"ssh://{host}/wc", None), ())
        for host in ("10.0.0.1", "10.0.0.2", "[fe80:0:0:0:0:0:0:1]")
    }
    found: Observed[None] = Observed(None)
    directories = state_directories.read(
        FakeStateDirectories({**known, "/x": (StateDirectory("/x", None), ())}), urls, found, hosts
    )
    return [each.url for each in directories], [each.reason for each in found.unknown]


def test_each_host_once_in_order() -> None:
    assert read(("/x", "ssh://{host}/wc"), HOSTS) == (
        ["/x", "ssh://10.0.0.1/wc", "ssh://10.0.0.2/wc", "ssh://[fe80:0:0:0:0:0:0:1]/wc"],
        [],
    )


def test_a_group_without_members_has_no_hosts_and_that_is_named() -> None:
    directories, reasons = read(("ssh://{host}/wc", "/x"), ())

    assert directories == ["/x"]
    assert "no members now" in reasons[0]


def test_what_a_broker_reports_as_a_host_is_no_part_of_a_url_unless_it_is_an_address() -> None:
    directories, reasons = read(("ssh://{host}/wc",), ("/10.0.0.1", "/x@evil", "/$(id)", "/a b", "/-oProxyCommand=id", "/.."))

    assert directories == ["ssh://10.0.0.1/wc"]
    assert "5 of the members' addresses" in reasons[0]
