"""What a state directory on a host holds, sent by one script in one answer: names, sizes, locks, free space, and the small files.

The script reads only. It follows no link: the path given must have none, `find` follows none, and a file is sent with the device
and inode of what was opened, which must be those of the name in the listing. A name with a line end is counted, and not read.
File contents are sent in base64, so that no content can look like a line of the answer; a random token shows where the answer
begins, after whatever a host prints at a login. To start a process costs a host more than to read a small file: files are opened
seven at a time and sent as one, with their sizes before and after that.
"""

import base64
import binascii
import os
import re
import secrets
import stat
import threading
from contextlib import nullcontext
from dataclasses import dataclass, field

from holdfast.adapters.hosts.shell import Shell
from holdfast.adapters.state_dirs import state_trees
from holdfast.errors import HostTrouble, StatePathTrouble
from holdfast.rollout.text.format import printable

MOST_BYTES = 64 * 1024 * 1024
"""Of one answer."""
MOST_ENTRIES = state_trees.MOST_ENTRIES
"""Of one directory and all below it."""
LARGEST_TABLE = 65_536
"""Bytes of a RocksDB table that is fetched. The tables of `offsets` hold a few entries; those of the data are mostly larger."""
_ENTRY = re.compile(
    r"e ([0-9a-f]{1,8}) ([0-9]{1,18}) ([0-9]{1,16}) (-?[0-9]{1,18}) ([0-9]{1,20}) ([0-9]{1,20}) (.*)", re.ASCII | re.DOTALL
)
"""Mode, size, blocks of 512 bytes, seconds, device, inode and name: a host may say anything, and no figure is larger than its kind
can be."""
_SIZED = re.compile(r"([0-9]{1,20} [0-9]{1,20}) ([0-9]{1,16})", re.ASCII)
"""Device and inode, and size."""
_MOST = 2**64
_MOST_BYTES_OF_A_DISK = 2**63
_PATH = re.compile(r"/[^\x00-\x1f\x7f]{0,4000}")
_LAST_SECOND = 253_402_300_799
"""Of the year 9999: a host may say anything."""
_LARGEST = 2 * 1024 * 1024
_LARGE = 4 * 1024 * 1024
_ONE_LARGE = threading.Lock()
"""To read an answer takes about eight times its memory: many hosts at once must not take that of this machine."""
_FIRST_NAMESPACE = "pid:[4026531836]"
"""Linux's constant for the namespace of processes that every other one is below (PROC_PID_INIT_INO)."""

SCRIPT = r"""
printf '%s\n' "$1"
shift
nl='
'
exec 4>&1
send() { base64; }
namespace=$(readlink /proc/self/ns/pid 2>/dev/null)
for folder do
  printf ':directory\n'
  if ! cd -P -- "$folder" 2>/dev/null; then
    case $(ls -d -- "$folder/." 2>&1) in
      *'No such file or directory' | *'Not a directory') printf ':absent\n:end\n' ;;
      *) printf ':forbidden\n:end\n' ;;
    esac
    continue
  fi
  here=$(pwd -P; printf .)
  if [ "$here" != "$folder$nl." ]; then
    printf ':elsewhere\n'; printf %s "${here%"$nl."}" | head -c 4000 | send; printf ':end\n'
    continue
  fi
  [ -r . ] || { printf ':forbidden\n:end\n'; continue; }
  printf ':namespace %s\n' "$namespace"
  printf ':locks\n'; cat /proc/locks 2>/dev/null || printf ':nolocks\n'
  stat -f -c ':space %a %S %T' . 2>/dev/null
  for tool in find stat head base64; do
    command -v $tool >/dev/null || printf ':without %s\n' $tool
  done
  printf ':list\n'
  errors=$(find . -maxdepth 7 -name "*$nl*" -prune -exec sh -c 'printf ":newlines %s\n" "$#"' x {} + \
    -o -exec stat -c 'e %f %s %b %Y %d %i %n' {} + 2>&1 >&4 |
    while read -r line; do case $line in *'No such file or directory') ;; *) printf '%s\n' "$line" ;; esac; done | head -c 4000)
  printf ':errors\n'; [ -z "$errors" ] || printf %s "$errors" | send
  find . -maxdepth 6 -name "*$nl*" -prune -o -type d -exec sh -c '
    for each do [ -r "$each" ] && [ -x "$each" ] || printf ":denied %s\n" "$each"; done' x {} + -o -type f \( \
    \( \( -name kafka-streams-process-metadata -o -name '.checkpoint*' -o -name CURRENT \) -size -2049 \) \
    -o \( -name 'MANIFEST-*' -size -4097 \) -o \( -name '*.sst' -size -129 \) \) -exec sh -c '
    open="/proc/self/fd/3 /proc/self/fd/4 /proc/self/fd/5 /proc/self/fd/6 /proc/self/fd/7 /proc/self/fd/8 /proc/self/fd/9"
    seven() {
      {
        printf ":files\n"; printf "n %s\n" "$@"
        stat -L -c "b %d %i %s" $open; cat $open | base64; stat -L -c "a %d %i %s" $open
      } 3<"$1" 4<"$2" 5<"$3" 6<"$4" 7<"$5" 8<"$6" 9<"$7"
    }
    alone() {
      for one do
        [ -f "$one" ] && { printf ":file %s\n" "$one"; stat -L -c "s %d %i" /proc/self/fd/3; base64 <&3; } 3<"$one"
      done
    }
    left=$#
    for each do
      [ "$left" = 0 ] || { set --; left=0; }
      if [ -f "$each" ] && [ ! -L "$each" ]; then set -- "$@" "$each"; fi
      if [ $# = 7 ]; then seven "$@" || alone "$@"; set --; fi
    done
    if [ $# -gt 1 ]; then
      while [ $# -lt 7 ]; do set -- "$@" /dev/null; done
      seven "$@" || alone "$@"
    else
      alone "$@"
    fi' x {} + 2>/dev/null
  printf ':end\n'
done
"""


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A name below the directory: its mode (with its kind), bytes, bytes on the disk, seconds since 1970, device and inode."""

    mode: int
    size: int
    disk_bytes: int
    changed: int
    identity: tuple[int, int]

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.mode)

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)


@dataclass(slots=True)
class Listing:
    """What one directory holds. Paths are relative to it, which is ""; `locks`: lines of /proc/locks, None: the host has none.

    `network`: the kind of its file system, where other machines may have locks on it. `sees_all`: no process is hidden from it.
    """

    entries: dict[str, ListedFile] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)
    denied: set[str] = field(default_factory=set)
    locks: list[str] | None = None
    sees_all: bool = False
    free_bytes: int | None = None
    file_system: str = ""
    strange_names: int = 0
    errors: tuple[str, ...] = ()


def refuse_path(path: str, shown: str) -> None:
    """Raise StatePathTrouble for what is no absolute path in its shortest form: then a link in it can be found."""
    if not _PATH.fullmatch(path) or path != os.path.normpath(path) or path.startswith("//"):
        raise StatePathTrouble(
            f"{printable(shown, 500)}: an absolute path without `..`, `//`, a slash at its end and control characters is needed,"
            " like /var/lib/streams/<application.id>"
        )


def fetch(shell: Shell, places: tuple[tuple[str, str], ...], limit_s: float) -> tuple[Listing | StatePathTrouble, ...]:
    """What is in each directory, or why there is no answer. Raise HostTrouble where the host gives no whole answer.

    `places`: paths as `refuse_path` lets them pass, each with its name in messages.
    """
    token = f"holdfast {secrets.token_hex(16)}"
    answer = shell.run(SCRIPT, (token, *(path for path, _ in places)), limit_s=limit_s, most_bytes=MOST_BYTES)
    with _ONE_LARGE if len(answer.stdout) > _LARGE else nullcontext():
        _, found, body = answer.stdout.partition(f"{token}\n".encode())
        parts = (b"\n" + body).split(b"\n:directory\n")[1:]  # whole lines: a name may end like one
        if not found or len(parts) != len(places) or not all(part.removesuffix(b"\n").endswith(b"\n:end") for part in parts):
            raise HostTrouble(f"{shell.shown}: the answer is incomplete: {answer.said}", begun=True)
        return tuple(read(part, shown) for part, (_, shown) in zip(parts, places, strict=True))


def read(part: bytes, shown: str) -> Listing | StatePathTrouble:
    """One directory's part of an answer."""
    found = sections(part)
    refusal = _refusal(found, shown)
    if refusal is not None:
        return refusal
    listing = Listing()
    for word, rest, lines in found:
        match word:
            case ":locks":
                listing.locks = [line for line in lines if line]
            case ":nolocks":
                listing.locks = None
            case ":namespace":
                listing.sees_all = rest == _FIRST_NAMESPACE
            case ":space":
                _space(listing, rest)
            case ":errors":
                listing.errors = _errors(_decoded(lines))
            case ":denied":
                listing.denied.add(_below(rest))
            case ":list" | ":newlines":
                listing.strange_names += int(rest) if rest.isdecimal() and len(rest) < 10 else 0
                if len(listing.entries) + len(lines) > MOST_ENTRIES:
                    return StatePathTrouble(f"{shown} holds more than {MOST_ENTRIES:,} entries; it was not read")
                _entries(listing, lines)
    for word, rest, lines in found:  # the names are all known now
        _sent(listing, word, rest, lines)
    return listing


def _sent(listing: Listing, word: str, rest: str, lines: list[str]) -> None:
    if word == ":file":
        _content(listing, _below(rest), lines)
    elif word == ":files":
        _contents(listing, lines)


def _refusal(found: list[tuple[str, str, list[str]]], shown: str) -> StatePathTrouble | None:
    for word, rest, lines in found:
        if word == ":absent":
            return StatePathTrouble(f"{shown}: there is no such directory; <state.dir>/<application.id> of one client is needed")
        if word == ":forbidden":
            return StatePathTrouble(
                f"{shown}: Permission denied. The permissions of the application's user, its group or root are needed"
            )
        if word == ":without":
            return StatePathTrouble(f"{shown}: the host has no command {printable(rest, 40)}, which reading a directory needs")
        if word == ":elsewhere":
            leads_to = printable(os.fsdecode(_decoded(lines)), 500)
            return StatePathTrouble(
                f"{shown} has a symbolic link in it, and none is followed: give the path that it leads to, {leads_to}"
            )
    return None


def sections(part: bytes) -> list[tuple[str, str, list[str]]]:
    """Lines that begin with a colon: their first word, the rest, and the lines that follow. No other line begins with one."""
    found: list[tuple[str, str, list[str]]] = []
    for raw in part.split(b"\n"):
        line = os.fsdecode(raw)
        if line.startswith(":"):
            word, _, rest = line.partition(" ")
            found.append((word, rest, []))
        elif found:
            found[-1][2].append(line)
    return found


def _below(path: str) -> str:
    return "" if path == "." else path.removeprefix("./")


def _decoded(lines: list[str]) -> bytes:
    try:
        return base64.b64decode("".join(lines), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _space(listing: Listing, rest: str) -> None:
    words = rest.split(" ")
    if len(words) == 3 and all(word.isdecimal() and len(word) < 20 for word in words[:2]):
        free_bytes = int(words[0]) * int(words[1])
        listing.free_bytes = free_bytes if free_bytes < _MOST_BYTES_OF_A_DISK else None
        listing.file_system = printable(words[2], 40)


def _errors(said: bytes) -> tuple[str, ...]:
    """What `find` could not do; the script leaves out what a running client removed meanwhile."""
    lines = said.decode("utf-8", "replace").splitlines()
    return tuple(printable(line, 200) for line in lines if line)[:5]


def _entries(listing: Listing, lines: list[str]) -> None:
    for line in lines:
        found = _ENTRY.fullmatch(line)
        if found is None:
            continue
        mode, size, blocks, changed, device, inode = int(found[1], 16), *map(int, found.groups()[1:6])
        if max(device, inode) < _MOST:
            seconds = min(max(changed, 0), _LAST_SECOND)
            listing.entries[_below(found[7])] = ListedFile(mode, size, blocks * 512, seconds, (device, inode))


def _content(listing: Listing, path: str, lines: list[str]) -> None:
    """Kept where what was opened is what the listing has under that name: nothing was swapped in between."""
    if lines:
        _keep(listing, path, lines[0].split(" ")[1:], _decoded(lines[1:]))


def _keep(listing: Listing, path: str, identity: list[str], data: bytes) -> None:
    entry = listing.entries.get(path)
    if entry is not None and entry.is_file and identity == [*map(str, entry.identity)] and len(data) <= _LARGEST:
        listing.contents[path] = data


def _contents(listing: Listing, lines: list[str]) -> None:
    """Of files that were sent as one. Where one of them changed its size meanwhile, what the others do not have is its; of several,
    those between the first and the last of them are left out."""
    said = {kind: [line[2:] for line in lines if line.startswith(f"{kind} ")] for kind in "nba"}
    before, after = ([_SIZED.fullmatch(one) for one in said[kind]] for kind in "ba")
    if not len(said["n"]) == len(before) == len(after) or not all((*before, *after)):
        return
    data = _decoded([line for line in lines if " " not in line])
    was, sizes = ([int(one[2]) if one else 0 for one in found] for found in (before, after))
    changed = [number for number, size in enumerate(sizes) if size != was[number]]
    first, last = (changed[0], changed[-1]) if changed else (len(sizes), len(sizes))
    unknown = len(data) - sum(sizes[:first]) - sum(sizes[last + 1 :])
    if unknown < 0 or (unknown and not changed):
        return
    for number, (name, found) in enumerate(zip(said["n"], before, strict=True)):
        if first <= number <= last and first != last:
            continue
        start = sum(sizes[:number]) if number <= first else len(data) - sum(sizes[number:])
        size = unknown if number == first else sizes[number]
        _keep(listing, _below(name), found[1].split(" ") if found else [], data[start : start + size])
