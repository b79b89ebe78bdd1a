"""Runs a command that does not outlive its parent: `python tether.py COMMAND…`.

The starter holds the other end of this process's standard input. When that end closes, because the starter let go or died in
however that happens, the command's whole process group is ended: SIGTERM, then SIGKILL after a grace. Standard library only, no
package.
"""

import os
import signal
import subprocess
import sys
import threading

_GRACE_SECONDS = 20


def main(command: list[str]) -> int:
    """Run the command in a session of its own and return its exit status."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)

    def end(kind: int) -> None:
        try:
            os.killpg(child.pid, kind)
        except ProcessLookupError:
            return

    def watch() -> None:
        while os.read(0, 1024):
            pass
        end(signal.SIGTERM)
        try:
            child.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            end(signal.SIGKILL)

    for kind in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(kind, lambda number, _frame: end(number))
    threading.Thread(target=watch, daemon=True).start()
    status = child.wait()
    end(signal.SIGKILL)  # whatever it started and left in its group
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
