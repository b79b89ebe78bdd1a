"""Process-metadata files in memory."""

from holdfast.errors import StatePathTrouble
from holdfast.kafka.vocabulary import ProcessId


class MemoryProcessMetadataFiles:
    """`directories`: the state directories that there are, each with its process ID, None: without the file."""

    def __init__(self, directories: dict[str, ProcessId | None]) -> None:
        self.directories = directories

    def read(self, state_dir: str) -> ProcessId | None:
        return self.directories.get(state_dir)

    def write(self, state_dir: str, process_id: ProcessId, replaces: ProcessId | None = None) -> None:
        if state_dir not in self.directories:
            raise StatePathTrouble(f"{state_dir} is not a directory")
        found = self.directories[state_dir]
        if found not in (None, process_id, replaces):
            raise StatePathTrouble(f"{state_dir} already holds process ID {found}, not {replaces or process_id}")
        self.directories[state_dir] = process_id

    def remove(self, state_dir: str, process_id: ProcessId) -> None:
        found = self.directories.get(state_dir)
        if found not in (None, process_id):
            raise StatePathTrouble(f"{state_dir} holds process ID {found}, not {process_id}")
        if state_dir in self.directories:
            self.directories[state_dir] = None
