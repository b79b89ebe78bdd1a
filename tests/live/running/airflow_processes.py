"""The processes of a real Airflow, as tests kill them.

An airflow task has two, which name themselves: the supervisor, which is a worker of the executor, and the process that the task's
own code runs in. Both are found by the process title and the folder of this Airflow.
"""

import os
import re
import signal
from contextlib import suppress

import psutil
from tests.harness.pages.airflow_server import Server

TASK, WORKER = "task", "worker"
"""The process that runs a task's code; and that one with its supervisor, as when the machine of a worker is lost."""
_CODE = re.compile(r"airflow worker -- [0-9a-f]{8}-[0-9a-f-]{27}")
_SUPERVISOR = re.compile(r"airflow (supervisor: |worker -- LocalExecutor: [0-9a-f]{8}-)")


def short_heartbeats() -> dict[str, str]:
    """What is dead is found so within seconds."""
    return {
        "AIRFLOW__CORE__FERNET_KEY": "",
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "10",
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_SEC": "2",
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "3",
        "AIRFLOW__SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL": "10",
        "AIRFLOW__SCHEDULER__TASK_QUEUED_TIMEOUT": "60",  # a worker that is killed right before its task begins
        "AIRFLOW__SCHEDULER__TASK_QUEUED_TIMEOUT_CHECK_INTERVAL": "10",
        "AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "10",
        "AIRFLOW__TRIGGERER__TRIGGERER_HEALTH_CHECK_THRESHOLD": "10",
    }


def of_tasks(server: Server, *, supervisors: bool) -> list[psutil.Process]:
    """The processes of this Airflow that run tasks now; with their supervisors."""
    wanted = (_CODE, _SUPERVISOR) if supervisors else (_CODE,)
    return [one for one in psutil.process_iter() if any(each.match(_title(one, server)) for each in wanted)]


def _title(process: psutil.Process, server: Server) -> str:
    """Empty for a process of another Airflow, and for one that has ended."""
    try:
        return " ".join(process.cmdline()).strip() if process.cwd().startswith(str(server.home)) else ""
    except psutil.Error:
        return ""


def kill(server: Server, victim: str) -> bool:
    """kill -9 of `TASK`, `WORKER`, or a component by its name, which is started again. False: no such process runs now."""
    if victim in (TASK, WORKER):
        found = of_tasks(server, supervisors=victim == WORKER)
        for one in found:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        return bool(found)
    process = server.components[victim]
    for child in psutil.Process(process.pid).children(recursive=True) if process.poll() is None else ():
        with suppress(psutil.NoSuchProcess):
            child.kill()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    server.start(victim)
    return True
