# A client of a live group as a service of its machine: `sh services.sh FOLDER status|start|stop|restart ADDRESS`.
# The processes belong to the test (`services.py`), which ends them with itself; this asks it, and waits.
set -eu
name=$1/$3
case $2 in
status) cat "$name.status" ;;
*)
    request=$name.$$.request
    echo "$2" >"$request.new" && mv "$request.new" "$request"
    while [ -e "$request" ]; do sleep 0.05; done
    ;;
esac
