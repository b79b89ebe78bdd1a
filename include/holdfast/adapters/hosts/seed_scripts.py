"""The scripts that write `kafka-streams-process-metadata` on a host, in POSIX sh. To replace one takes Python or Perl.

They act in the folder that they have entered, which must be the path itself and not lead elsewhere. A new file is made under a
temporary name of 64 random bits, given its owner and mode through its descriptor (a name could be swapped for a link meanwhile),
synced, and only then linked or renamed to its place. If the connection breaks, half of the content arrives: its size is
checked before anything else happens. Exit statuses are the constants below.
"""

ELSEWHERE, NOT_WRITTEN, HALF, NOT_GIVEN, EXISTS, NO_LINK = 40, 41, 42, 43, 44, 45
NO_LOCK, LOCKED, CHANGED, NOT_RENAMED, NO_PROGRAM = 50, 51, 52, 53, 54

_ENTER = r"""
nl='
'
cd -P -- "$1" 2>/dev/null || exit 40
[ "$(pwd -P; printf .)" = "$1$nl." ] || exit 40
"""

LOOK = r"""
name=kafka-streams-process-metadata
nl='
'
printf '%s\n' "$2"
if ! cd -P -- "$1" 2>/dev/null; then
  case $(ls -d -- "$1/." 2>&1) in
    *'No such file or directory' | *'Not a directory') printf ':absent\n' ;;
    *) printf ':forbidden\n' ;;
  esac
  printf ':end\n'
  exit
fi
here=$(pwd -P; printf .)
if [ "$here" != "$1$nl." ]; then
  printf ':elsewhere\n'; printf %s "${here%"$nl."}" | head -c 4000 | base64; printf ':end\n'
  exit
fi
if [ -n "$3" ]; then
  [ "$3" = - ] || rm -f -- "$3"
  for each in ".$name".????????????????.tmp; do
    random=${each#".$name."}
    case ${random%.tmp} in *[!0-9a-f]*) continue ;; esac
    [ -f "$each" ] && [ ! -L "$each" ] || continue
    if command -v flock >/dev/null; then
      { flock -n 3 && rm -f -- "$each"; } 3<"$each" 2>/dev/null
    else
      find "./$each" -prune -type f -mmin +60 -exec rm -f {} + 2>/dev/null
    fi
  done
fi
printf ':namespace %s\n' "$(readlink /proc/self/ns/pid 2>/dev/null)"
printf ':locks\n'; cat /proc/locks 2>/dev/null || printf ':nolocks\n'
stat -f -c ':space %a %S %T' . 2>/dev/null
printf ':list\n'
stat -c 'e %f %s %b %Y %d %i %n' . 2>/dev/null
for each in .lock "$name"; do stat -c 'e %f %s %b %Y %d %i ./%n' -- "$each" 2>/dev/null; done
stat -c ':folder %u %g' .
printf ':user %s\n' "$(id -u)"
if [ -f "$name" ] && [ ! -L "$name" ]; then
  stat -c ':owner %u %g' -- "$name"
  case $(ls -ld -- "$name" 2>/dev/null) in ??????????+*) printf ':acl\n' ;; esac
  { printf ':file %s\n' "./$name"; stat -L -c 's %d %i' /proc/self/fd/3; base64 <&3; } 3<"$name" 2>/dev/null
fi
printf ':end\n'
"""
"""Arguments: folder, token, and the temporary name that is given up, "-" for none but with leftovers removed, "" to look only."""

_PREPARE = (
    _ENTER
    + r"""
[ "$(stat -c '%d %i' .)" = "$2" ] || exit 40
tmp=$3 owner=$4 mode=$5 size=$6 name=kafka-streams-process-metadata
umask 077
set -C
[ ! -e "$tmp" ] && [ ! -L "$tmp" ] || exit 41
trap 'rm -f -- "$tmp"' EXIT
prepare() {
  if command -v flock >/dev/null; then flock -n 3 || exit 41; fi
  dd bs=65536 conv=fsync >&3 || exit 41
  [ "$(stat -L -c %s /proc/self/fd/3)" = "$size" ] || exit 42
  [ "$(stat -L -c %u:%g /proc/self/fd/3)" = "$owner" ] || chown "$owner" /proc/self/fd/3 || exit 43
  chmod "$mode" /proc/self/fd/3 || exit 43
  [ "$(stat -L -c '%u:%g %a' /proc/self/fd/3)" = "$owner $mode" ] || exit 43
  written=$(stat -L -c '%d %i' /proc/self/fd/3)
  [ "$(stat -c '%d %i' -- "$tmp" 2>/dev/null)" = "$written" ] || exit 52
}
settled() {
  { sync -- . || sync; } 2>/dev/null
  [ "$(stat -c '%d %i' -- "$name")" = "$written" ] || exit 52
}
"""
)

CREATE = (
    _PREPARE
    + r"""
{ prepare; sync /proc/self/fd/3 2>/dev/null
  if command -v link >/dev/null; then link "$tmp" "$name"; else ln -T -- "$tmp" "$name"; fi || {
    if [ -e "$name" ] || [ -L "$name" ]; then exit 44; fi
    [ -e "$tmp" ] || exit 52
    exit 45
  }
  rm -f -- "$tmp"
  settled
} 3>"$tmp" || exit 41
"""
)
"""Arguments: folder, its device and inode, temporary name, user:group, mode, size; the content is standard input."""

REPLACE = (
    _PREPARE
    + r"""
{ prepare; sync /proc/self/fd/3 2>/dev/null
  if [ ! -e .lock ] && [ ! -L .lock ]; then
    { chown "$owner" /proc/self/fd/4 && chmod "$mode" /proc/self/fd/4; } 4>.lock || [ -e .lock ] || exit 50
  fi
  if command -v python3 >/dev/null; then python3 -I -c "$9" "$tmp" "$name" "$7" "$8"
  elif command -v perl >/dev/null; then perl -e "${10}" "$tmp" "$name" "$7" "$8"
  else exit 54; fi || exit
  settled
} 3>"$tmp" || exit 41
"""
)
"""The same arguments, and: device and inode of the file, its content in hexadecimal, the programs in Python and in Perl."""

REMOVE = (
    _ENTER
    + r"""
[ "$(stat -c '%d %i' .)" = "$2" ] || exit 40
name=kafka-streams-process-metadata owner=$3 mode=$4
if [ ! -e .lock ] && [ ! -L .lock ]; then
  set -C
  umask 077
  { chown "$owner" /proc/self/fd/4 && chmod "$mode" /proc/self/fd/4; } 4>.lock || [ -e .lock ] || exit 50
fi
if command -v python3 >/dev/null; then python3 -I -c "$7" "" "$name" "$5" "$6"
elif command -v perl >/dev/null; then perl -e "$8" "" "$name" "$5" "$6"
else exit 54; fi || exit
{ sync -- . || sync; } 2>/dev/null
[ ! -e "$name" ] && [ ! -L "$name" ] || exit 52
"""
)
"""Arguments: folder, its device and inode, user:group and mode of the file, its device and inode, its content in hexadecimal, the
programs in Python and in Perl, which remove it under the client's lock where they are given no other file."""

PYTHON = r"""
import fcntl, os, sys
tmp, name, identity, content = sys.argv[1:]
plain = os.O_NOFOLLOW | os.O_NONBLOCK
same = lambda one, other: (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
try:
    lock = os.open(".lock", os.O_RDWR | plain)
except OSError:
    sys.exit(50)
try:
    fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError as error:
    sys.exit(51 if error.errno in (11, 13) else 50)
try:
    file = os.open(name, os.O_RDONLY | plain)
    found = os.fstat(file)
    whole = os.read(file, 1 << 20).hex()
except OSError:
    sys.exit(52)
if not same(os.fstat(lock), os.lstat(".lock")) or "%d %d" % (found.st_dev, found.st_ino) != identity or whole != content:
    sys.exit(52)
try:
    os.rename(tmp, name) if tmp else os.unlink(name)
except OSError:
    sys.exit(53)
"""

PERL = r"""
use Fcntl qw(:DEFAULT F_SETLK F_WRLCK);
my ($tmp, $name, $identity, $content) = @ARGV;
sysopen(my $lock, ".lock", O_RDWR | O_NOFOLLOW | O_NONBLOCK) or exit 50;
my $whole_file = pack("s s x4 q q i x4", F_WRLCK, 0, 0, 0, 0);
fcntl($lock, F_SETLK, $whole_file) or exit($!{EAGAIN} || $!{EACCES} ? 51 : 50);
my @held = stat $lock; my @now = lstat ".lock";
"$held[0] $held[1]" eq "$now[0] $now[1]" or exit 52;
sysopen(my $file, $name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) or exit 52;
my @found = stat $file; "$found[0] $found[1]" eq $identity or exit 52;
my $whole = ""; while (sysread($file, $whole, 65536, length $whole)) {}
unpack("H*", $whole) eq $content or exit 52;
(length $tmp ? rename($tmp, $name) : unlink($name)) or exit 53;
"""
