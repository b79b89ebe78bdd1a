"""The port `Actor` by another DAG: a run of it is the act, and something else shows the process.

The run has an ID made of the plan, the step, the act and the client, so that the scheduler itself refuses a second one: an act is
triggered once, whatever is killed in between. While its run is queued or running, the process is being changed; nothing waits for
it for longer than some seconds.
"""

import hashlib
import json
import re
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol

from holdfast.actor import Actor
from holdfast.adapters.hosts import client_settings
from holdfast.adapters.hosts.process_commands import ENDS_S, PLACE, clients_values, is_value
from holdfast.adapters.hosts.templates_in_json import strings_in, with_values
from holdfast.errors import HostTrouble
from holdfast.rollout.execution.acts import Act
from holdfast.rollout.journal.acted import ClientProcess, Does, ProcessState
from holdfast.rollout.text.format import listed, printable

SETS = "set_config"
"""What a DAG does that writes settings."""
_PAUSE_S = 2.0
_HOLDS_S = 3.0
"""For one that fails at once: the scheduler alone takes longer to begin most of them."""
_GOES_ON = ("queued", "running")
_BACK = ".back"
"""After what an act is called that rolls one back (`Act.called`)."""
_PLAIN = re.compile(r"[A-Za-z0-9_.~+-]{1,60}", re.ASCII)
_sleep = time.sleep


class DagRuns(Protocol):
    """Runs of DAGs, by ID. Every method raises HostTrouble."""

    def trigger(self, dag_id: str, run_id: str, conf: Mapping[str, Any]) -> bool:
        """False: there is a run of that ID; nothing was done."""
        ...

    def state(self, dag_id: str, run_id: str) -> str | None:
        """Airflow's word (`queued`, `running`, `success`, `failed`); None: there is no such run."""
        ...


class Looks(Actor, Protocol):
    """What shows a process, and may act on it too."""

    def cannot_look(self, act: Act) -> str | None:
        """Why it cannot show the process, in a sentence."""
        ...


@dataclass(frozen=True, slots=True)
class Dag:
    """`conf`: JSON as text, with places in its strings; `{does}` is the act. `clients` as for commands. `sets_config`: its runs
    write settings of clients too, for which they have `settings` in their conf."""

    dag_id: str
    conf: str
    limit_s: int
    clients: Mapping[str, Mapping[str, str]]
    sets_config: bool = False


class DagActor:
    """`looks`: what shows the process."""

    def __init__(self, dag: Dag, looks: Looks, runs: DagRuns) -> None:
        self._dag, self._looks, self._runs = dag, looks, runs

    @property
    def limit_s(self) -> float:
        return self._dag.limit_s + ENDS_S

    @property
    def unseen_s(self) -> float:
        """None of it: its run shows whether it goes on, however long it takes."""
        return 0.0

    @property
    def unseen_write_s(self) -> float:
        return 0.0 if self._dag.sets_config else self._looks.unseen_write_s

    def lacks(self, act: Act) -> str | None:
        return self._unfilled(act) or self._looks.cannot_look(act)

    def _unfilled(self, act: Act) -> str | None:
        values = self._values(act.does.value, act)
        wanted = {name for text in strings_in(json.loads(self._dag.conf)) for name in PLACE.findall(text)}
        missing = sorted(wanted - values.keys())
        if missing:
            return f"The DAG for {printable(act.shown, 200)} needs {listed(missing)}, which is not given (`clients`)."
        bad = next((values[name] for name in sorted(wanted) if not is_value(values[name])), None)
        if bad is not None:
            return f"{printable(bad, 100)} cannot be part of a DAG's conf: letters, digits and ._:@%+- can."
        return None

    def process(self, act: Act) -> ClientProcess:
        if any(self._state(one) in _GOES_ON for one in (*_runs_of(act), *_before_back(act))):
            return ClientProcess(ProcessState.CHANGING)
        return self._looks.process(act)

    def _state(self, called: str) -> str | None:
        return self._runs.state(self._dag.dag_id, called)

    def perform(self, does: Does, act: Act) -> str | None:
        called = run_id(does.value, act)
        made, failed = self._run(called, self._conf(does.value, act))
        return failed or (None if made else f"{self._shown(called)} was successful before, and the process is as it was.")

    def was_given(self, act: Act) -> bool | None:  # noqa: ARG002 - Airflow refuses a second run
        return None

    def outcome(self, act: Act) -> str | None:
        with suppress(HostTrouble):
            for called in reversed(_runs_of(act)):
                state = self._state(called)
                if state is not None:
                    return f"{self._shown(called)} is {printable(state, 50)}{_what_to_do(state)}."
        return None

    def lacks_config(self, act: Act, settings: Mapping[str, str | None]) -> str | None:
        if not self._dag.sets_config:
            return self._looks.lacks_config(act, settings)
        return self._unfilled(act) or client_settings.refused(settings)

    def read_config(self, act: Act, keys: Collection[str]) -> Mapping[str, str | None] | None:
        return self._looks.read_config(act, keys)

    def is_writing(self, act: Act) -> bool:
        if not self._dag.sets_config:
            return self._looks.is_writing(act)
        mine = (run_id(SETS, one) for one in (act, _forward(act)) if one is not None)
        return any(self._state(one) in _GOES_ON for one in mine)

    def write_config(self, act: Act, settings: Mapping[str, str | None]) -> str | None:
        """One that was successful before has written the same: the ID is of this step and this client."""
        if not self._dag.sets_config:
            return self._looks.write_config(act, settings)
        conf = self._conf(SETS, act) | {"settings": dict(settings)}
        return self._run(run_id(SETS, act), conf)[1]

    def _conf(self, does: str, act: Act) -> dict[str, Any]:
        conf = with_values(json.loads(self._dag.conf), self._values(does, act))
        assert isinstance(conf, dict), "it was read as one"
        return conf

    def _shown(self, called: str) -> str:
        return f"The run {called} of the DAG {self._dag.dag_id}"

    def _run(self, called: str, conf: Mapping[str, Any]) -> tuple[bool, str | None]:
        """Whether it was triggered just now, and why it failed; None: it was successful."""
        ends_at = time.monotonic() + min(self._dag.limit_s, _HOLDS_S)
        made = self._runs.trigger(self._dag.dag_id, called, conf)
        while True:
            state = self._state(called)
            if state == "success":
                return made, None
            if state not in _GOES_ON:
                return made, f"{self._shown(called)} is {printable(str(state), 50)}{_what_to_do(state)}."
            if time.monotonic() > ends_at:
                raise HostTrouble(f"{self._shown(called)} is {state}", begun=True)
            _sleep(_PAUSE_S)

    def _values(self, does: str, act: Act) -> dict[str, str]:
        return clients_values(act, self._dag.clients) | {"does": does}


def run_id(does: str, act: Act) -> str:
    """Of letters, digits and `_.~+-` only, whatever the client is called."""
    called = act.called if _PLAIN.fullmatch(act.called) else _short(act.called)
    return f"holdfast__{called}__{does}__{_short(act.kept_as)}"


def _runs_of(act: Act) -> tuple[str, ...]:
    """Of an act, in the order in which they are triggered: a restart that leaves the client down is followed by a start."""
    return tuple(run_id(does.value, act) for does in ((act.does, Does.START) if act.does is Does.RESTART else (act.does,)))


def _before_back(act: Act) -> tuple[str, ...]:
    """The runs on the client that what is rolled back may have triggered."""
    forward = _forward(act)
    return () if forward is None else (*(run_id(does.value, forward) for does in Does), run_id(SETS, forward))


def _forward(act: Act) -> Act | None:
    """What it rolls back. None: it rolls nothing back."""
    return replace(act, called=act.called.removesuffix(_BACK)) if act.called.endswith(_BACK) else None


def _what_to_do(state: str | None) -> str:
    match state:
        case "success":
            return ""
        case "queued" | "running":
            return ": is the DAG paused?"
        case _:
            return ": clear it in Airflow, or delete it to have it triggered again"


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
