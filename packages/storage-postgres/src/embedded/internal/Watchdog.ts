/**
 * The parent process of the server on POSIX: a shell script that stops the server when its owner exits.
 *
 * Its standard input is a pipe from the owner, which the system closes even after `kill -9`. The script does all work
 * on the server's files, as the server's account and never as root.
 */

/** Exit status if another server still uses the folder. */
export const lockHeld = 75

export const watchdog = `
# usage: sh watchdog.sh RUN_FOLDER PROGRAM [ARGUMENT]..., in the folder of the cluster
run=$1
shift
log=log/postgres.log
mkdir -p log

# Every process of the server inherits this lock, so it is held until the last of them has ended: across containers
# too, where process ids mean nothing.
exec 9<.
if command -v flock >/dev/null 2>&1; then
  flock -w 20 9 || exit ${lockHeld}
  # Nobody serves this folder. A left-over file would still stop the server if its process id were in use again.
  rm -f postmaster.pid
  # Cleaners of temporary folders pass by one that is locked.
  exec 7<"$run"
  flock -s -n 7
fi

orphaned=
trap 'orphaned=1' USR1
trap : HUP INT TERM
exec 8<&0

"$@" </dev/null >>"$log" 2>&1 8<&- &
server=$!

listen() {
  trap '' HUP INT TERM
  while IFS= read -r command; do
    case $command in
      fast) kill -INT "$server" ;;
      immediate) kill -QUIT "$server" ;;
      rotate) cp "$log" "$log.1" && : >"$log" ;;
    esac
  done
  kill -USR1 $$
  kill -INT "$server"
  waited=0
  while [ "$waited" -lt 5 ]; do
    sleep 1
    waited=$((waited + 1))
  done
  kill -QUIT "$server"
}
listen <&8 9<&- 2>/dev/null &
listener=$!
exec 8<&-

# A signal interrupts the wait, so it is repeated until the server has really ended.
while :; do
  wait "$server"
  status=$?
  kill -0 "$server" 2>/dev/null || break
done
kill -KILL "$listener" 2>/dev/null
wait "$listener" 2>/dev/null
[ -z "$orphaned" ] || rm -rf "$run"
exit "$status"
`.trimStart()
