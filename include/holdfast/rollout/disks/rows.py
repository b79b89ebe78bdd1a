"""State directories as rows of tables. Plain values only."""

from holdfast.rollout.disks.state_directory import StateDirectory


def row_of(found: StateDirectory) -> dict[str, object]:
    return {
        "url": found.url,
        "process_id": None if found.process_id is None else str(found.process_id),
        "tasks": len(found.tasks),
        "files": len(found.files),
        "bytes": sum(file.size for file in found.files),
        "locked": None if found.lock is None else found.lock.held,
    }
