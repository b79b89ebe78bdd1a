"""The file that holds a process ID, as a person writes it."""

import shlex

from holdfast.kafka.state_dir import PROCESS_METADATA
from holdfast.kafka.vocabulary import ProcessId


def by_hand(process_id: ProcessId, group_id: str) -> str:
    """A shell command that writes the file in a directory that Holdfast does not reach: that of the application, whose ID is the
    group's. STATE_DIR, the setting state.dir, is a variable that the shell asks for."""
    directory = f'"${{STATE_DIR:?}}"/{shlex.quote(group_id)}'
    return f"""printf '{{"processId":"{process_id}"}}' > {directory}/{PROCESS_METADATA}"""
