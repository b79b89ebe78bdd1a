"""Every entry point for documents: commands, readers, the tables' jobs, the pages, the form (`documents`)."""

import contextlib
import functools
import io
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unicodedata import category
from urllib.parse import urlencode

from tests.harness import nasty
from tests.property.fuzz import airflow_database
from tests.property.fuzz.cases import Case, real

from holdfast.errors import HoldfastError
from holdfast.rollout.journal.journal import Approval, JournalEntry

_STEERS = (chr(one) for one in range(sys.maxunicode + 1) if category(chr(one)) in ("Cc", "Cf", "Cs", "Zl", "Zp"))
STEERING = re.compile(f"[{''.join(map(re.escape, _STEERS))}]")
"""What must not reach a terminal or a page: it moves the cursor, turns the writing direction, or is not seen."""


class Finding(AssertionError):
    """An entry point did what it must not."""


# The entry points.


def command(*arguments: str) -> None:
    """A command line. Raise Finding where it steers the terminal."""
    from holdfast.cli.main import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(list(arguments))
        except SystemExit as end:
            if end.code not in (0, 1, 2, 3, None):
                raise Finding(f"exit status {end.code}") from None
    for stream in (out, err):
        stream.flush()
        refuse_steering(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]


def refuse_steering(printed: str) -> None:
    steering = STEERING.search(printed.replace("\n", " "))
    if steering is not None:
        around = ascii(printed[max(0, steering.start() - 200) : steering.end() + 100])
        raise Finding(f"U+{ord(steering[0]):04X} is printed: {around}")


def assign(case: Case) -> None:
    command("assign", case.file("snapshot"))


def forecast(case: Case) -> None:
    group, requested = case.group_and_change()
    command("forecast", group, requested, *case.chance.choice(((), ("--json",), ("--detail", "summary"))))


def plan(case: Case) -> None:
    group, requested = case.group_and_change()
    shape = case.chance.choice(("text", "json", "markdown", "comment", "junit", "github"))
    limits = ("--policy", case.file("policy")) if case.chance.random() < 0.4 else ()
    command("plan", group, requested, "--format", shape, *limits)


def guard(case: Case) -> None:
    command("guard", case.file("snapshot"), *case.chance.choice(((), ("--json",))))


def diff(case: Case) -> None:
    kind = case.chance.choice(("snapshot", "plan"))
    command("diff", case.file(kind), case.file(kind), *case.chance.choice(((), ("--json",))))


def redact(case: Case) -> None:
    if case.chance.random() < 0.5:
        command("redact", case.file("snapshot"), *case.chance.choice(((), ("--hash-codes", "hide"))))
        return
    group, requested = case.group_and_change()
    command("redact", group, "--change", requested, "--change-output", str(case.folder / "without-names.json"))


def show(case: Case) -> None:
    fresh = ("--snapshot", case.file("snapshot")) if case.chance.random() < 0.6 else ()
    command("show", case.file("plan"), *fresh, *(case.chance.choice(((), ("--json",))) if fresh else ()))


def verify(case: Case) -> None:
    command("verify", case.file("plan"), "--snapshot", case.file("snapshot"))


def apply(case: Case) -> None:
    made, lake = case.document("plan"), case.folder / "lake"
    kept = lake / "plans" / str(made.get("plan_id") if isinstance(made, dict) else "x").replace("/", "_")[:100].replace("\0", "_")
    with contextlib.suppress(OSError, ValueError):
        kept.mkdir(parents=True)
        (kept / "journal.jsonl").write_bytes(b"\n".join(case.nasty.content(case.document("journal")) for _ in range(2)))
    approved = case.chance.choice((("--approval", case.file("approval")), ("--approved-by", case.nasty.text(), "--reason", "x")))
    path = case.write("plan.json", json.dumps(made).encode())
    approved = tuple(one.encode(errors="replace").decode().replace("\0", "?") for one in approved)
    command("apply", path, "--snapshot", case.file("snapshot"), *approved, "--lake", str(lake), "--confirm", "1")


@functools.cache
def _readers() -> tuple[Callable[[object], object], ...]:
    """Everything that takes a document apart which others may have written."""
    from holdfast.rollout.consumer.kind.kind import ConsumerKind
    from holdfast.rollout.consumer.plan import json as plan_json
    from holdfast.rollout.json.record import codec_of
    from holdfast.rollout.kinds import any_document
    from holdfast.rollout.kinds.plan_summary import SUMMARY
    from holdfast.rollout.kinds.requested_change import change_requested
    from holdfast.rollout.kinds.score_json import SCORE
    from holdfast.rollout.policy.json import policy_from_json
    from holdfast.rollout.streams.cost.evaluation import EvaluatedOption, Option
    from holdfast.rollout.streams.forecast.assignment_json import assignment_from_json
    from holdfast.rollout.streams.kind.kind import StreamsKind
    from holdfast.rollout.streams.plan import json as streams_json
    from holdfast.rollout.streams.snapshot.json import snapshot_from_json
    from holdfast.rollout.tables import fleet_findings

    return (
        any_document.snapshot_from_json,
        snapshot_from_json,
        lambda value: StreamsKind().change_from_json(value),
        lambda value: ConsumerKind().change_from_json(value),
        any_document.plan_from_json,
        streams_json.plan_from_json,
        plan_json.consumer_plan_from_json,
        policy_from_json,
        codec_of(Approval).read,
        codec_of(JournalEntry).read,
        assignment_from_json,
        SCORE.read,
        SUMMARY.read,
        codec_of(EvaluatedOption).read,
        codec_of(Option).read,
        fleet_findings.policy_from_json,
        lambda value: change_requested(value if isinstance(value, dict) else {}),
    )


def read(case: Case) -> None:
    from holdfast.adapters import yaml_text
    from holdfast.rollout.json import strict

    content = case.nasty.content(case.document(case.chance.choice(list(real().documents))))
    case.write("read.json", content)
    for loads in (strict.loads, yaml_text.loads):
        try:
            found = loads(content)
        except HoldfastError:
            continue
        for reader in _readers():
            with contextlib.suppress(HoldfastError):
                reader(found)


def rows(case: Case) -> None:
    """What the Spark jobs make of documents of the lake."""
    from holdfast.rollout.json import strict
    from holdfast.rollout.tables import fleet_findings, group_rows, loss_rows, plan_rows

    content = case.nasty.content(case.document(case.chance.choice(("snapshot", "plan", "verdict"))))
    other = case.nasty.content(case.document("snapshot")).decode(errors="replace")
    case.write("rows.json", content)
    case.write("other.json", other.encode())
    text = content.decode(errors="replace")
    works: tuple[Callable[[], object], ...] = (
        lambda: group_rows.decode("snapshots/cluster=c/day=2026-11-20/group=g/1-0123456789abcdef.json", content),
        lambda: group_rows.unread("collections/cluster=c/day=2026-11-20/x.json", content),
        lambda: group_rows.targets(text),
        lambda: group_rows.order_change(text, other),
        lambda: loss_rows.whole(text, 50),
        lambda: plan_rows.plan_rows("plans/0123456789abcdef/plan.json", content),
        lambda: plan_rows.plan_rows("plans/0123456789abcdef/verdict.json", content),
        lambda: fleet_findings.alerts(fleet_findings.findings_from_lines("2026-11-20", content.splitlines())),
    )
    for work in works:
        with contextlib.suppress(HoldfastError):
            strict.dumps(work())


def airflow_in(home: str) -> dict[str, str]:
    """The environment of an Airflow with its files, and a database, in that folder."""
    own = {"AIRFLOW_HOME": home, "AIRFLOW__CORE__LOAD_EXAMPLES": "False"}
    airflow_database.made(Path(home), os.environ | own)
    return own


@functools.cache
def client() -> Any:
    """The pages as Airflow serves them (`airflow_in`), for a user with all permissions."""
    from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser
    from airflow.api_fastapi.core_api.security import get_user
    from fastapi.testclient import TestClient

    from holdfast.web import access, app, decision, waiting
    from holdfast.web.new import making, new_page

    all_clients = app.app.dependency_overrides
    all_clients[get_user] = lambda: SimpleAuthManagerUser(username="ann", role="ADMIN")
    for one in (access.may_read, *access.may_ask, *access.may_decide):
        all_clients[one.dependency] = lambda: None  # type: ignore[index]
    access.can_ask = lambda *_: True
    access.can_decide = lambda *_: True
    decision.asked = lambda *_: None
    waiting.runs.of = lambda _: {}
    new_page.sees_connection = lambda *_: False
    assert making
    return TestClient(app.app, raise_server_exceptions=True)


def _get(address: str) -> str:
    answer = client().get(address)
    if answer.status_code >= 500 and "<!DOCTYPE html>" not in answer.text[:200]:
        raise Finding(f"{answer.status_code} for {address}")
    return str(answer.text)


def pages(case: Case) -> None:
    """The pages of a lake in which documents are broken."""
    from tests.harness.plans import NOON

    from holdfast.adapters.lake.lake import FsspecLake
    from holdfast.rollout.kinds import any_document
    from holdfast.workflows import plan as plans
    from holdfast.workflows import snapshots

    os.environ["AIRFLOW_VAR_HOLDFAST_LAKE"] = str(case.folder)
    lake = FsspecLake(str(case.folder))
    assert NOON
    whole = real().documents
    made = any_document.plan_from_json(case.chance.choice(whole["plan"]))
    plans.keep(lake, made)
    snapshot = any_document.snapshot_from_json(case.chance.choice(whole["snapshot"]))
    place = snapshots.keep(lake, snapshot)
    files = {"plan.json": "plan", "summary.json": "summary", "approval.json": "approval", "verdict.json": "verdict"}
    files |= {"journal.jsonl": "journal", "run.json": "run"}
    for name, kind in files.items():
        if case.chance.random() < 0.4:
            lake.write(("plans", made.plan_id, name), case.nasty.content(case.document(kind)))
            case.documents += 1
    if case.chance.random() < 0.5:
        lake.write(tuple(place.split("/")), case.nasty.content(case.document("snapshot")))
        case.documents += 1
    query = urlencode({"cluster": snapshot.cluster, "group": snapshot.group_id})
    addresses = ["/plans", f"/plans/{made.plan_id}", f"/group?{query}", "/fleet", "/new", f"/new?{query}"]
    for address in case.chance.sample(addresses, 3):
        refuse_steering(_get(address))


def form(case: Case) -> None:
    """What a user types into the form."""
    from holdfast.adapters.lake.lake import FsspecLake
    from holdfast.rollout.kinds import any_document
    from holdfast.workflows import snapshots

    os.environ["AIRFLOW_VAR_HOLDFAST_LAKE"] = str(case.folder)
    group, requested = case.odd()
    whole = any_document.snapshot_from_json(case.chance.choice(real().documents["snapshot"]))
    snapshots.keep(FsspecLake(str(case.folder)), whole)
    typed: Callable[[], str] = lambda: case.nasty.text().encode(errors="replace").decode()  # noqa: E731 - a die
    kinds = (
        "replace a host",
        "scale",
        "rolling restart",
        "change settings",
        "upgrade Kafka Streams",
        "stop and start all",
        "move to the streams protocol",
        "move to the consumer protocol",
        "document",
    )
    sent = {"cluster": whole.cluster, "group": whole.group_id, "what": case.chance.choice((*kinds, *kinds, typed()))}
    for name in (
        "hosts",
        "more_hosts",
        "clients",
        "threads",
        "at_once",
        "new_host",
        "disk",
        "kafka_release",
        "broker_release",
        "minutes",
        "settings",
    ):
        if case.chance.random() < 0.5:
            sent[name] = case.chance.choice((typed(), str(case.chance.choice(nasty.NUMBERS)), "1", "3.9.1", "empty"))
    if case.chance.random() < 0.6:
        sent["change"] = case.chance.choice(
            (json.dumps(requested), case.nasty.content(case.document("change")).decode(errors="replace"))
        )
    if case.chance.random() < 0.3:
        sent["policy"] = case.nasty.content(case.document("policy")).decode(errors="replace")
    if case.chance.random() < 0.1:
        sent["snapshot"] = typed()
    case.write("form.json", json.dumps(sent).encode())
    assert group is not None
    body = urlencode({"token": "x", "key": "x", **sent}, errors="replace")
    headers = {"content-type": "application/x-www-form-urlencoded", "origin": "http://testserver"}
    from holdfast.web import access

    access.refuse_forgery = lambda *_: None
    answer = client().post("/new", content=body.encode(), headers=headers, follow_redirects=False)
    if answer.status_code >= 500:
        raise Finding(f"{answer.status_code}: {answer.text[:200]}")


WAYS_IN: dict[str, Callable[[Case], None]] = {
    "read": read,
    "assign": assign,
    "forecast": forecast,
    "plan": plan,
    "guard": guard,
    "diff": diff,
    "redact": redact,
    "show": show,
    "verify": verify,
    "apply": apply,
    "rows": rows,
    "pages": pages,
    "form": form,
}
IN_AIRFLOW = ("pages", "form")
