"""Do the airflow tasks sign with the deployment's key, and act on nothing that it did not sign?"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.dags.conftest import PLAIN_FORM, decided, just_taken, question
from tests.dags.test_decisions import answer

from holdfast.adapters.lake.lake import FsspecLake
from holdfast.airflow_wiring import decisions, planning, rollouts, runs
from holdfast.airflow_wiring.signing import signing_keys
from holdfast.errors import InvalidInput, StepRefused
from holdfast.rollout.json.strict import dumps
from holdfast.rollout.kinds.approval import fingerprint
from holdfast.rollout.streams.plan import json as plan_json
from holdfast.workflows import plan as plans

FERNET = "dGhpcyBpcyBub3QgYSBzZWNyZXQgYXQgYWxsLCByZWE="
ANOTHER = "YW5vdGhlciBvbmUgdGhhdCBpcyBubyBzZWNyZXQsIG4="
CONNECTION = "AIRFLOW_CONN_HOLDFAST_SIGNING_KEY"
NOW = {"state_dirs": {}, "confirmed": []}


@pytest.fixture
def fernet(lake: FsspecLake, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("AIRFLOW__CORE__FERNET_KEY", FERNET)
    return FERNET


@pytest.fixture
def plan_id(fernet: str, lake: FsspecLake, make: Any) -> tuple[str, str]:
    """A plan that this deployment signed, and its run."""
    made, run = make()
    plans.keep(lake, plans.load(lake, made), signing_keys())
    return made, run


@pytest.mark.usefixtures("fernet")
class TestWhichKey:
    @pytest.mark.parametrize("text", ["", "{FERNET_KEY}", "short", f"{FERNET},{{FERNET_KEY}}"])
    def test_a_place_holder_is_none(self, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
        monkeypatch.setenv("AIRFLOW__CORE__FERNET_KEY", text)

        assert not signing_keys()

    def test_fernet_s_keys_are_all_believed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        first = signing_keys()
        monkeypatch.setenv("AIRFLOW__CORE__FERNET_KEY", f"{ANOTHER},{FERNET}")

        assert signing_keys().derived[1:] == first.derived

    def test_the_connection_s_come_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        of_airflow = signing_keys()
        monkeypatch.setenv(CONNECTION, json.dumps({"conn_type": "generic", "password": "p" * 40}))

        assert signing_keys() != of_airflow

    @pytest.mark.parametrize("password", ["", "too short"])
    def test_a_connection_without_one_is_refused(self, monkeypatch: pytest.MonkeyPatch, password: str) -> None:
        monkeypatch.setenv(CONNECTION, json.dumps({"conn_type": "generic", "password": password}))

        with pytest.raises(InvalidInput, match="the connection holdfast_signing_key holds no signing key"):
            signing_keys()


class TestWhatIsSigned:
    def test_all_of_a_plan_that_is_decided_and_applied(self, lake: FsspecLake, plan_id: tuple[str, str], recorded: str) -> None:
        one, run = plan_id
        assert question(one, run).fingerprint
        decided(one, answer("Approve", plans.load(lake, one)))
        rollouts.apply(one, NOW | {"snapshot": just_taken(lake, recorded)}, "bob")

        standing = plans.standing(lake, one, signing_keys())
        assert standing.says == "signed by this deployment"
        assert standing.journal is not None
        assert FERNET not in "".join(path.read_text() for path in Path(lake.url).rglob("*.json"))


@pytest.mark.usefixtures("fernet")
class TestWhatIsRefused:
    def test_a_plan_that_is_not_signed(self, lake: FsspecLake, make: Any) -> None:
        made, run = make()
        for act in (
            lambda: question(made, run),
            lambda: decided(made, answer("Approve", plans.load(lake, made))),
            lambda: rollouts.apply(made, NOW | {"snapshot": ""}, "bob"),
            lambda: rollouts.verify(made, {"plan_id": "", "snapshot": ""}, None),
        ):
            with pytest.raises(StepRefused, match=f"Plan {made}: not signed"):
                act()
        assert plans.approval_of(lake, made) is None

    def test_an_edited_expiry_with_an_id_that_fits_it(self, lake: FsspecLake, plan_id: tuple[str, str]) -> None:
        old = plans.load(lake, plan_id[0])
        later = replace(old, expires_at="2058-01-01T00:00:00Z")
        later = plan_json.with_id(later)  # type: ignore[arg-type]
        plans.keep(lake, later)
        runs.keep_made(lake, plan_id[1], later, signing_keys())

        with pytest.raises(StepRefused, match="not signed"):
            question(later.plan_id, plan_id[1])

    def test_an_approval_that_somebody_wrote(self, lake: FsspecLake, plan_id: tuple[str, str], recorded: str) -> None:
        forged = {
            "format_version": "1.0", "plan_id": plan_id[0], "approved": True, "by": "vera", "reason": "",
            "at": "2026-11-20T14:00:00Z",
        }  # fmt: skip
        lake.write(("plans", plan_id[0], "approval.json"), dumps(forged).encode())

        for act in (
            lambda: rollouts.apply(plan_id[0], NOW | {"snapshot": recorded}, "bob"),
            lambda: decisions.go_by_decision(plan_id[1]),
            lambda: question(*plan_id),
        ):
            with pytest.raises(StepRefused, match=r"The decision about plan .*: not signed"):
                act()


@pytest.mark.usefixtures("fernet")
class TestWhoWritesIntoDraftsWithoutTheKey:
    """Names who may approve, who requested the plan, which plan a run made, or what its options are: and is refused."""

    FORM: ClassVar[dict[str, Any]] = PLAIN_FORM | {"policy": {"format_version": "1.0", "four_eyes": True}}

    @pytest.fixture
    def run(self, recorded: str) -> str:
        """With a draft, its options and a plan, as the airflow tasks before the question make them."""
        planning.draft("run mine", self.FORM | {"snapshot": recorded}, "mallory")
        planning.search("run mine")
        planning.assemble("run mine")
        return "run mine"

    @staticmethod
    def edit(lake: FsspecLake, run: str, name: str, **other: object) -> None:
        place = (*runs.folder(run), name)
        content = json.loads(lake.read(place, 10**6)) if lake.exists(place) else {"format_version": "1.0"}
        lake.write(place, dumps(content | other).encode())

    def test_nobody_makes_himself_an_approver(self, lake: FsspecLake, monkeypatch: pytest.MonkeyPatch, run: str) -> None:
        monkeypatch.setenv("AIRFLOW_VAR_HOLDFAST_APPROVERS", '["ann"]')
        self.edit(lake, run, "asked.json", approvers=["mallory"])

        with pytest.raises(StepRefused, match=r"The list of approvers of this run: not signed"):
            decisions.question(run)
        lake.remove((*runs.folder(run), "asked.json"))
        assert decisions.question(run).approvers == ("ann",)
        self.edit(lake, run, "asked.json", approvers=[])
        with pytest.raises(StepRefused, match="signature does not match"):
            decisions.keep_decision(run, answer("Approve", runs.plan_of(lake, run, signing_keys()), by="mallory"))

    def test_the_approvers_of_another_run_are_not_this_one_s(self, lake: FsspecLake, run: str, make: Any) -> None:
        """Signed, and all the same of another run."""
        _, other = make()
        runs.keep_approvers_asked(lake, other, ["mallory"], signing_keys())
        lake.write((*runs.folder(run), "asked.json"), lake.read((*runs.folder(other), "asked.json"), 10**6))

        with pytest.raises(InvalidInput, match=r"asked\.json is of run 'run \d+'"):
            decisions.question(run)

    def test_who_asked_stays_who_asked(self, lake: FsspecLake, recorded: str) -> None:
        planning.draft("run mine", self.FORM | {"snapshot": recorded}, "mallory")
        planning.search("run mine")
        self.edit(lake, "run mine", "origin.json", requested_by="ann")

        with pytest.raises(StepRefused, match=r"draft of this run: signature does not match"):
            planning.assemble("run mine")

    def test_a_looser_policy_with_a_digest_that_fits_it_makes_no_plan(self, lake: FsspecLake, recorded: str) -> None:
        folder = runs.folder("run mine")
        planning.draft("run mine", self.FORM | {"snapshot": recorded}, "mallory")
        planning.search("run mine")
        looser = dumps({"format_version": "1.0", "review": "never"}).encode()
        lake.write((*folder, "policy.json"), looser)
        origin = json.loads(lake.read((*folder, "origin.json"), 10**6))
        self.edit(lake, "run mine", "origin.json", documents=origin["documents"] | {"policy.json": runs.digest(looser)})

        with pytest.raises(StepRefused, match="signature does not match"):
            planning.assemble("run mine")

    def test_another_plan_is_not_asked_about(self, lake: FsspecLake, run: str, make: Any) -> None:
        """Signed too, of another run, and not what was asked for here."""
        made, _ = make()
        plans.keep(lake, plans.load(lake, made), signing_keys())
        self.edit(lake, run, "plan.json", plan_id=made, fingerprint=fingerprint(plans.load(lake, made)))

        with pytest.raises(StepRefused, match=r"plan of this run: signature does not match"):
            decisions.question(run)

    @pytest.mark.parametrize("what", ["steps", "title", "left out", "again"])
    def test_an_option_that_the_change_does_not_have_is_not_taken(self, lake: FsspecLake, recorded: str, what: str) -> None:
        """What is forecast is written where executors write, who have no key: the options are proposed again and compared."""
        planning.draft("run mine", self.FORM | {"snapshot": recorded}, "mallory")
        planning.search("run mine")
        (place,) = [
            (*runs.folder("run mine"), "evaluations", name) for name in lake.names((*runs.folder("run mine"), "evaluations"))
        ]
        lines = [json.loads(line) for line in lake.read(place, 10**8).splitlines()]
        match what:
            case "steps":
                lines[0]["option"]["steps"] = lines[0]["option"]["steps"][:-1]
            case "title":
                lines[0]["option"]["title"] = "Do nothing at all"
            case "left out":
                lines = lines[1:]
            case _:
                lines = [*lines, lines[0]]
        lake.write(place, "\n".join(map(dumps, lines)).encode())

        with pytest.raises(InvalidInput, match="not the options of this change"):
            planning.assemble("run mine")
        assert runs.made(lake, "run mine") is None
