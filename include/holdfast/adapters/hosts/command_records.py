"""The record of a command on its host: so that nothing waits for it, and it is begun once.

A command runs in a session of its own, apart from the connection that it came over. A folder that only its user can read has the
record of the newest command for each process and plan, its KEY: `KEY.ORDER` says which process runs it (written aside, then linked:
whole, and by one only), `KEY.ORDER.end` how it ended (its room is taken before it begins, so that a disk which fills up meanwhile
does not lose it), `KEY.ORDER.out` the beginning of its standard error. ORDER grows with the plan's journal.

A command begins only if no other was recorded since the host was looked at. Two that begin at the same moment, one of them sent by
a run that was killed since, record first and look then: at least one of them sees the other, and withdraws.

POSIX sh, with `setsid` of util-linux or busybox.
"""

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum

from holdfast.adapters.hosts.shell import ScriptEnd
from holdfast.errors import HostTrouble
from holdfast.rollout.text.format import printable

KEPT_DAYS = 7
"""Records that are older are removed by the next command on that host."""
_SAID_BYTES = 400
_FUNCTIONS = r"""
boot() { cat /proc/sys/kernel/random/boot_id 2>/dev/null; }
since() { # when a process of this number began
  read -r found 2>/dev/null <"/proc/$1/stat" || return
  set -- ${found##*) }
  printf %s "${20}"
}
numbers() { # of the records, each once
  for each in "$place/$key".*; do
    each=${each#"$place/$key."}
    case $each in *[!0-9]*|'') ;; *) [ "${#each}" -le 9 ] && printf '%s\n' "$each" ;; esac
  done
}
runs() { # whether the process of a record does
  read -r pid began booted 2>/dev/null <"$1" && kill -0 "$pid" 2>/dev/null && [ "$began" = "$(since "$pid")" ] &&
    [ "$booted" = "$(boot)" ]
}
show() { # the newest record: its number, its state, the exit status; then what the command said
  last=0
  for one in $(numbers); do [ "$one" -gt "$last" ] && last=$one; done
  file=$place/$key.$last state=none status=0
  if [ "$last" -gt 0 ]; then
    if [ -e "$file.end" ]; then state=ended
    elif runs "$file"; then state=running
    elif [ -e "$file.end" ]; then state=ended
    elif [ -e "$file" ]; then state=lost
    fi
  fi
  for one in "$place/${key%-*}"-*; do # of other plans
    case ${one##*.} in *[!0-9]*) ;; *) if [ ! -e "$one.end" ] && runs "$one"; then state=running; fi ;; esac
  done
  [ "$state" != ended ] || read -r status <"$file.end"
  printf '%s %s %s\n' "$last" "$state" "$status"
  head -c 400 2>/dev/null <"$file.out" | tr -c '[:print:]' ' '
  printf '\n'
}
"""
_PLACE = "place=${1:-$HOME/.local/state/holdfast} key=$2\n"
LOOK = (
    _PLACE
    + _FUNCTIONS
    + r"""
limit=$3
shift 3
(show) 2>/dev/null
exec timeout -k 5 "$limit" "$@"
"""
)
"""$1: the folder; empty: below the user's home. $2: KEY. $3: how many seconds the rest may take: what shows the process."""
RUNNER = (
    _FUNCTIONS
    + r"""
place=$1 key=$2 order=$3 seen=$4 limit=$5 given=$6
shift 6
umask 077
file=$place/$key.$order
new=$file.$$.new
me="$$ $(since $$) $(boot)"
problem=$({ printf '%s\n' "$me" | cat >"$new" && printf '    \n' | cat >"$file.$$.end"; } 2>&1) || { # cat says what is wrong
  rm -f "$new" "$file.$$.end"
  printf 'unwritable %s\n' "$problem"
  exit
}
problem=$(ln "$new" "$file" 2>&1) || said=unwritable
rm -f "$new"
[ "${said-}" = "" ] || {
  rm -f "$file.$$.end"
  if [ -e "$file" ]; then printf 'given\n'; else printf 'unwritable %s\n' "$problem"; fi
  exit
}
for one in $(numbers); do
  if [ "$one" -gt "$seen" ] && [ "$one" -ne "$order" ]; then
    rm -f "$file" "$file.$$.end"
    printf 'changed\n'
    exit
  fi
done
printf 'begun\n'
exec >/dev/null 2>&1 </dev/null
for one in $(numbers); do
  [ "$one" -ge "$order" ] || rm -f "$place/$key.$one" "$place/$key.$one".*
done
find "$place" -type f -mtime +7 -exec rm -f {} +
{
  printf %s "$given" | timeout -k 5 "$limit" "$@" >/dev/null
  status=$?
  exec >/dev/null 2>&1
  printf '%-4s' "$status" 1<>"$file.$$.end"
  waited=0
  while [ ! -e "$file.read" ] && [ "$waited" -lt 30 ]; do
    if sleep 0.1 2>/dev/null; then waited=$((waited + 1)); else sleep 1; waited=$((waited + 10)); fi
  done
  mv "$file.$$.end" "$file.end"
} 2>&1 | {
  head -c 4096 >"$file.out"
  : >"$file.read"
  cat >/dev/null
}
"""
)
"""What BEGIN takes as its last argument before the command."""
BEGIN = (
    _PLACE
    + _FUNCTIONS
    + r"""
order=$3 seen=$4 limit=$5 tenths=$6 runner=$7
shift 7
given=$(cat)
command -v setsid >/dev/null || { printf 'setsid\n'; exit; }
umask 077
problem=$({ [ -d "$place" ] || mkdir -p "$place"; } 2>&1) || { printf 'unwritable %s\n' "$problem"; exit; }
case $(ls -ld "$place") in drwx------*) ;; *) printf 'open\n'; exit ;; esac
[ -O "$place" ] || { printf 'open\n'; exit; }
said=$(setsid sh -c "$runner" holdfast "$place" "$key" "$order" "$seen" "$limit" "$given" "$@" 2>/dev/null &)
printf '%s\n' "$said"
case $said in begun|given) ;; *) exit ;; esac
file=$place/$key.$order
while [ "$tenths" -gt 0 ] && [ ! -e "$file.end" ] && runs "$file"; do
  if sleep 0.2 2>/dev/null; then tenths=$((tenths - 2)); else sleep 1; tenths=$((tenths - 10)); fi
done
show
"""
)
"""$1, $2 as for LOOK. $3: ORDER; $4: that of the newest record that was seen, 0: none; $5: how many seconds the command may take;
$6: for how many tenths of a second its end is waited for; $7: RUNNER; then the command, whose input is this one's. It prints how it
went: `begun`, or `given` (it was begun before), and the record after it; or why it was not begun."""
_SHOWN = re.compile(rb"([0-9]{1,9}) (none|running|ended|lost) ([0-9]{1,3})", re.ASCII)


class CommandState(StrEnum):
    """`LOST`: begun, and how it ended is unknown: its host was restarted, or what ran it was killed."""

    NONE = "none"
    RUNNING = "running"
    ENDED = "ended"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Record:
    """Of the newest command of a plan. `order`: 0: there is none. `state`: RUNNING also if another plan's command for the process
    goes on. `said`: the beginning of its standard error."""

    order: int
    state: CommandState
    status: int
    said: str

    @property
    def why(self) -> str:
        """How it ended, for people."""
        if self.state is CommandState.LOST:
            return "how it ended is unknown: its host was restarted meanwhile, or what ran it there was killed"
        return self.said or f"status {self.status}, without a message"


def key_of(plan: str, words: tuple[str, ...]) -> str:
    """`words`: what distinguishes the process."""
    process = hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return f"{process}-{hashlib.sha256(plan.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def shown_before(answer: ScriptEnd) -> tuple[Record, ScriptEnd]:
    """What LOOK shows of the record, and the answer of the command after it. Raise HostTrouble."""
    parts = answer.stdout.split(b"\n", 2)
    found = _SHOWN.fullmatch(parts[0])
    if found is None or len(parts) < 3:
        raise HostTrouble(f"the record of the command there cannot be read: {answer.said}", begun=False)
    said = printable(" ".join(parts[1].decode("ascii", "replace").split()), _SAID_BYTES)
    state = CommandState(found[2].decode())
    return Record(int(found[1]), state, int(found[3]), said), ScriptEnd(answer.status, parts[2], answer.stderr)


def begun(answer: ScriptEnd, order: int, shown: str) -> Record:
    """What BEGIN prints for the command of that number. `shown`: the host. Raise HostTrouble where nothing was begun."""
    word, _, rest = answer.stdout.partition(b"\n")
    others = HostTrouble(f"{shown}: another command was begun there meanwhile", begun=False)
    match word.split(b" ", 1):
        case [b"begun" | b"given"]:
            record, _ = shown_before(ScriptEnd(answer.status, rest, answer.stderr))
            if record.order != order:  # it has withdrawn
                raise others
            return record
        case [b"changed"]:
            raise others
        case [b"open"]:
            why = "belongs to another user, is open to others (chmod 700), or is a link"
        case [b"unwritable", *reason]:
            said = b" ".join(reason).decode("utf-8", "replace") or answer.said
            why = f"cannot be written to: {printable(said, _SAID_BYTES)}"
        case [b"setsid"]:
            why = "is of no use without setsid (util-linux or busybox): install it"
        case _:
            raise HostTrouble(f"{shown}: no command can be begun there: {answer.said}", begun=False, lasting=True)
    folder = "the folder for the records of commands (`records`; ~/.local/state/holdfast where it is not given)"
    raise HostTrouble(f"{shown}: {folder} {why}. Nothing was begun", begun=False, lasting=True)
