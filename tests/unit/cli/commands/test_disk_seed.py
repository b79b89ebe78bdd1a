"""The commands `holdfast disk` and `holdfast seed`, on this machine and over a real sshd."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.harness.article import AFTER, group
from tests.harness.sshd import Sshd

from holdfast.cli.commands import disk, seed

ONE = "4b61083e-57d0-457d-951f-d06556c148ca"
TWO = "bbb83e43-b1af-4b2d-a60a-94a7091684d0"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    with Sshd(tmp_path_factory.mktemp("sshd")) as running:
        yield running


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "orders"
    (folder / "0_1").mkdir(parents=True)
    (folder / "0_1/.checkpoint").write_text("0\n1\norders-log 1 7\n")
    (folder / ".lock").touch()
    return folder


def run(command: object, *arguments: str, host: Sshd | None = None) -> Result:
    login = ("--ssh-key", str(host.folder / "client"), "--ssh-known-hosts", str(host.folder / "known_hosts")) if host else ()
    return CliRunner().invoke(command, [*arguments, *login], standalone_mode=False)  # type: ignore[arg-type]


def url(host: Sshd, folder: Path) -> str:
    return f"ssh://{host.user}@127.0.0.1:{host.port}{folder}"


def test_a_process_id_is_seeded_and_shown_over_ssh(host: Sshd, state_dir: Path) -> None:
    where = url(host, state_dir)
    written = run(seed.command, where, ONE, "--json", host=host)
    assert json.loads(written.output) == {
        "format_version": "1.0",
        "url": where.replace(f"{host.user}@", ""),
        "process_id": ONE,
    }
    refused = run(seed.command, where, TWO, host=host)
    assert f"already holds process ID {ONE}" in str(refused.exception)
    assert run(seed.command, where, TWO, "--replaces", ONE, "--format", "text", host=host).output.endswith(
        f"holds process ID {TWO}.\n"
    )

    text = run(disk.command, where, "--format", "text", host=host).output
    assert TWO in text
    assert "orders-log-1: 7" in text
    assert f"{host.user}@" not in text


def test_every_directory_is_answered_and_a_missing_one_is_the_status(host: Sshd, state_dir: Path) -> None:
    where = url(host, state_dir)
    done = run(disk.command, where, f"{where}-gone", str(state_dir), "ssh://{host}/x", "--json", host=host)
    remote, gone, local, template = json.loads(done.output)["state_directories"]

    assert done.return_value == 1
    assert "no such directory" in gone["problem"]
    assert "give a URL each" in template["problem"]
    assert remote["tasks"] == local["tasks"] != {}
    assert remote["lock"] == local["lock"] == {"held": False}
    text = run(disk.command, f"{where}-gone", "--format", "text", host=host).output
    assert "It was not read" in text


def test_a_template_is_the_directory_of_each_host(host: Sshd, state_dir: Path) -> None:
    template = url(host, state_dir).replace("127.0.0.1", "{host}")
    named = ("--host", "127.0.0.1", "--host", "127.0.0.9")
    done = run(disk.command, template, *named, "--json", host=host)
    found = [one["url"] for one in json.loads(done.output)["state_directories"]]
    assert found == [template.replace(f"{host.user}@", "").replace("{host}", one) for one in ("127.0.0.1", "127.0.0.9")]

    refused = run(seed.command, template, ONE, *named, host=host)
    assert "stands for 2 directories" in str(refused.exception)
    assert run(seed.command, template, ONE, "--host", "127.0.0.1", "--json", host=host).return_value == 0
    assert ONE in (state_dir / "kafka-streams-process-metadata").read_text()


def test_a_snapshot_names_the_hosts(state_dir: Path, tmp_path: Path) -> None:
    """Hosts come from brokers: one that cannot be a host is named, and nothing is read."""
    found = group(AFTER)
    ours, *others = found["clients"].values()
    for other in others:
        other["host"] = None
    file = tmp_path / "snapshot.json"
    template = f"{state_dir.parent}/{{host}}"

    ours["host"] = state_dir.name
    file.write_text(json.dumps(found))
    done = run(disk.command, template, "--snapshot", str(file), "--json")
    assert [one["url"] for one in json.loads(done.output)["state_directories"]] == [str(state_dir)]

    for hostile in ("..", "-oProxyCommand=id", "x/../.."):
        ours["host"] = hostile
        file.write_text(json.dumps(found))
        done = run(disk.command, template, "--snapshot", str(file), "--json")
        assert repr(hostile) in str(done.exception)

    ours["host"] = None
    file.write_text(json.dumps(found))
    done = run(seed.command, template, ONE, "--snapshot", str(file))
    assert "names no host" in str(done.exception)


@pytest.mark.parametrize("url", ["ssh://[::1/x", "s3://me:topsecret@[::1/x", "kubernetes://[::1/x", "//[x"])
def test_half_of_an_address_is_no_url(url: str) -> None:
    done = run(disk.command, url, "--json")

    assert done.return_value == 1, done.exception
    assert "topsecret" not in done.output


@pytest.mark.thorough
def test_a_password_in_a_url_is_refused_and_not_repeated() -> None:
    done = run(disk.command, "ssh://me:topsecret@127.0.0.1/x", "--json")

    assert done.return_value == 1
    assert "topsecret" not in done.output
    assert "has a password in it" in done.output
