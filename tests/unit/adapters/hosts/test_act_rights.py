"""The lines of sudoers for the commands of an actors file, and the Role for its pods."""

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from holdfast.adapters.hosts import actors_file
from holdfast.cli.commands import doctor
from holdfast.errors import InvalidInput


def file(group: str) -> bytes:
    return f'format_version: "1.0"\ngroups:\n  orders:\n{group}'.encode()


def lines(group: str, user: str | None = "deploy") -> list[str]:
    return (actors_file.rights(file(group), "orders", user) or "").splitlines()[1:]


SYSTEMD = '    systemd: {unit: "orders@{unit}.service", sudo: true}\n    clients: {id-1: {unit: "1"}, app-2: {unit: "a:2"}}\n'


def test_each_act_on_each_unit_and_nothing_else() -> None:
    assert lines(SYSTEMD) == [
        f"deploy ALL=(root) NOPASSWD: /usr/bin/systemctl {act} -- orders@{unit}.service"
        for act in ("stop", "start", "restart")
        for unit in ("1", r"a\:2")
    ]


def test_the_user_of_the_file_wins() -> None:
    assert lines(f"{SYSTEMD}    ssh: {{user: ops}}\n")[0].startswith("ops ALL=")
    assert lines(SYSTEMD, None)[0].startswith("USER ALL=")


def test_without_sudo_none_are_needed() -> None:
    assert actors_file.rights(file('    systemd: {unit: "orders.service"}\n'), "orders", "deploy") is None


OWN = '    status: [x]\n    restart: [sudo, -n, -u, streams, /opt/ctl, {}]\n    clients: {{a: {{unit: "1"}}, b: {{unit: "*"}}}}\n'


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("x", ["deploy ALL=(streams) NOPASSWD: /opt/ctl x"]),
        ('"a b,c=*?[x]!#"', [r"deploy ALL=(streams) NOPASSWD: /opt/ctl a\ b\,c\=\*\?\[x\]\!\#"]),
        (
            '"{unit}"',
            ["deploy ALL=(streams) NOPASSWD: /opt/ctl 1", "# for each unit: deploy ALL=(streams) NOPASSWD: /opt/ctl {unit}"],
        ),
        ('"{host}"', ["# for each host: deploy ALL=(streams) NOPASSWD: /opt/ctl {host}"]),
        ('"^.*$"', [r"# write it yourself, its signs mean something in sudoers: deploy ALL=(streams) NOPASSWD: /opt/ctl ^.\*$"]),
        (
            r'"x\ny ALL"',
            [r"# write it yourself, its signs mean something in sudoers: deploy ALL=(streams) NOPASSWD: /opt/ctl x\u000ay\ ALL"],
        ),
    ],
)
def test_no_line_allows_more_than_it_shows(word: str, expected: list[str]) -> None:
    """A wildcard of a client, a regular expression, a second line."""
    assert lines(OWN.format(word)) == expected


@pytest.mark.parametrize("user", ["ALL", "a b", "x\ny", "%wheel", "#0"])
def test_a_login_that_is_no_user_gets_no_line(user: str) -> None:
    assert all(one.startswith("# write it yourself") for one in lines(SYSTEMD, user))


PODS = "    kubernetes: {{namespace: {0}, container: app, {1}}}\n"


@pytest.mark.parametrize(
    ("workload", "name", "deletes"),
    [
        ("stateful_set: words", "holdfast-act", True),
        ("stateful_set: words, restart_by: annotation", "holdfast-act-by-annotation", False),
        ('deployment: "words-{n}"', "holdfast-act-on-deployments", False),
        ("deployment: words", "holdfast-act-on-a-deployment", False),
    ],
)
def test_pods_need_the_role_of_their_actor(workload: str, name: str, *, deletes: bool) -> None:
    role = actors_file.rights(file(PODS.format("shop", workload)), "orders", None) or ""
    found = yaml.safe_load(role)

    assert (found["kind"], found["metadata"]) == ("Role", {"name": name, "namespace": "shop"})
    assert any("delete" in rule["verbs"] for rule in found["rules"]) is deletes


def test_a_role_has_no_names_but_those_of_kubernetes() -> None:
    for namespace in ('"shop\\nrules: []"', '"../shop"', '"{{}}"'):
        with pytest.raises(InvalidInput, match="is no name of a namespace"):
            actors_file.rights(file(PODS.format(namespace, "stateful_set: words")), "orders", None)


def test_the_doctor_prints_them_without_a_cluster(tmp_path: Path) -> None:
    (tmp_path / "actors.yaml").write_bytes(file(SYSTEMD))
    given = ["--actors", str(tmp_path / "actors.yaml"), "--group", "orders", "--ssh-user", "deploy"]
    done = CliRunner().invoke(doctor.command, given)

    assert "  deploy ALL=(root) NOPASSWD: /usr/bin/systemctl restart -- orders@1.service" in done.output.splitlines()
