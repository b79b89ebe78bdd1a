# A service manager of one file per client: `sh service.sh FOLDER status|start|stop|restart NAME`.
# The file holds the number of the client's starts while it runs, and that number with a minus when it does not.
set -eu
file=$1/$3
count=$(cat "$file")
begin() { echo $((${count#-} + 1)) >"$file.new" && mv "$file.new" "$file"; }
end() { echo "-${count#-}" >"$file.new" && mv "$file.new" "$file"; }
case $2 in
status) case $count in -*) echo stopped ;; *) echo "running start-$count" ;; esac ;;
start) case $count in -*) begin ;; esac ;;
stop) end ;;
restart)
    echo "$3" >>"$1/restarts"
    begin
    ;;
esac
