#!/usr/bin/env bash
# Every check and every test, on a fresh machine: sets up what it needs and says how long each took.
#
#   ./test.sh                  all parts
#   ./test.sh core viewer      these parts, of: core walks package viewer agents
#
# The parts in Rust run beside those in JavaScript, and the walks beside both. What a suite prints comes when it has
# ended, in one piece.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
logs=$(mktemp -d)
trap 'rm -rf "$logs" "${memory:-$logs}"' EXIT
# The tests make and remove files by the hundred thousand. A file system on a disk looks past every inode that was just freed for
# each new file (ext4), which is more than half of what the system takes; one in memory does not. Where there is not room enough
# in it, or nothing can be started from it, and where TMPDIR is set, their files lie where they always do.
if [ -z "${TMPDIR:-}" ] && memory=$(mktemp -d /dev/shm/endstate-XXXXXX 2> /dev/null); then
  room() { [ "$(df -Pk "$memory" | awk 'NR == 2 { print $4 }')" -ge $((4 << 20)) ] && awk '/^MemAvailable/ { exit $2 < 8 * 2 ^ 20 }' /proc/meminfo; }
  starts() { cp /bin/true "$memory/starts" && "$memory/starts" && rm "$memory/starts"; }
  if room && starts 2> /dev/null; then export TMPDIR=$memory; fi
fi
# What the suites in JavaScript start, and what their package asks for its schemas, is built in this profile, too.
export ENDSTATE_PROFILE=suites
# The library and the program are optimised in it, and of the tests what computes for minutes.
export RUSTC_WORKSPACE_WRAPPER=$PWD/tests/rustc.sh

# Runs one suite. None begins after another one failed.
suite() {
  local name=$1 began=$SECONDS log
  shift
  [ ! -e "$logs/failed" ] || exit 1
  log=$(mktemp -p "$logs")
  printf -- '-- %s: began at %d s\n' "$name" "$began"
  printf '\n== %s: %s\n' "$name" "$*" > "$log"
  local TIMEFORMAT='%0U s of the processor, %0S s in the system'
  if { time "$@" >> "$log" 2>&1 < /dev/null; } 2> "$log.time"; then
    report "$log" "$name" "passed in $((SECONDS - began)) s ($(cat "$log.time"))"
  else
    touch "$logs/failed"
    report "$log" "$name" "FAILED after $((SECONDS - began)) s"
    exit 1
  fi
}

# What a suite printed, in one piece: another one may end beside it.
report() {
  printf '== %s %s\n' "$2" "$3" >> "$1"
  cat "$1"
}

# The test files of Cargo that only compute, and long, or (with -v) all others, as its arguments.
tests() {
  printf '%s\n' tests/*.rs | sed 's#tests/\(.*\)\.rs#\1#' | grep "$@" -xE 'walks|traces' | sed 's/^/--test /'
}

# The program and the test files in the profile of the suites, which optimises: for the parts in JavaScript, too.
programs() {
  # shellcheck disable=SC2046
  suite 'program and tests' cargo test --profile suites --no-run --lib --bins $(tests) $(tests -v)
}

core() {
  suite 'format' cargo fmt --all --check
  suite 'lints' cargo clippy --profile suites --workspace --all-targets -- -D warnings
  # For WebAssembly the package is built.
  suite 'core without features' cargo check --profile suites --lib --no-default-features
  once programs
  # shellcheck disable=SC2046
  suite 'unit, property, host and command line tests' cargo test --profile suites --lib --bins $(tests -v)
  suite 'examples of the documentation' cargo test --profile suites --doc
  suite 'documentation' env RUSTDOCFLAGS='-D warnings' cargo doc --profile suites --no-deps --lib
}

# They only compute, where the other parts often wait: the others come first, but not so far that a walk is left alone at the end.
walks() {
  once programs
  renice -n 5 -p "$BASHPID" > /dev/null
  # shellcheck disable=SC2046
  suite 'exhaustive walks, traces, random plans' cargo test --profile suites $(tests)
}

# Does something that several lanes need, once: who comes later waits for it.
once() {
  until mkdir "$logs/$1.lock" 2> /dev/null; do
    [ ! -e "$logs/failed" ] || exit 1
    sleep 1
  done
  [ -e "$logs/$1" ] || "$1"
  touch "$logs/$1"
  rmdir "$logs/$1.lock"
}

package_built() {
  suite 'npm package' node js/build.mjs
}

built() {
  once package_built
  once programs
  ENDSTATE_TARBALL=$(ls "$PWD"/target/npm/endstate-*.tgz)
  export ENDSTATE_TARBALL
}

agents_installed() {
  suite 'real agents: installed' node tests/agents/install.mjs
}

package() {
  built
  suite 'package: engine' node --test js/tests/endstate.test.mjs
  suite 'package: driver, examples' node --test js/tests/driver.test.mjs
  suite 'package: consumers' node --test js/tests/consumers.test.mjs
}

viewer() {
  built
  suite 'viewer in Chromium' node --test js/tests/viewer.test.mjs
}

# What real agents confine themselves with may show them no other /dev than an empty one.
on_disk() {
  [ "${TMPDIR:-}" != "${memory:-none}" ] || unset TMPDIR
}

agents_ready() {
  on_disk
  built
  once agents_installed
}

# Real agents wait more than they work, so most of them have a lane, and one follows the core.
agents() {
  agents_ready
  suite 'real agents: roles' node --test js/tests/agents.test.mjs
  suite 'real agents: import' node --test js/tests/import.test.mjs
}

hosts() {
  agents_ready
  suite 'real agents: hosts' node --test js/tests/hosted.test.mjs
}

pi() {
  agents_ready
  suite 'real agents: pi' node --test js/tests/pi.test.mjs
}

runners() {
  on_disk
  built
  suite 'real test runners' node --test js/tests/runners.test.mjs
}

parts=()
for part in "${@:-core walks package viewer agents}"; do
  for name in $part; do
    case $name in
      core | walks | package | viewer | agents) parts+=("$name") ;;
      *) printf 'no part %s; there are: core walks package viewer agents\n' "$name" >&2; exit 2 ;;
    esac
  done
done

# Whether any of these parts was asked for.
asked() {
  local part
  for part in "$@"; do [[ " ${parts[*]} " != *" $part "* ]] || return 0; done
  return 1
}

if asked package viewer agents && ! command -v node > /dev/null; then
  echo 'Node is not installed: the WebAssembly package cannot be built and tested.' >&2
  exit 1
fi
if command -v rustup > /dev/null; then
  rustup component add rustfmt clippy > /dev/null 2>&1 || true
  rustup target add wasm32-unknown-unknown
fi

# The jobs of a script do not hear Ctrl-C by themselves.
trap 'trap - TERM; kill 0' INT TERM
lanes=()
# Those of these that were asked for, one after the other, beside all else; `what:part` belongs to a part.
lane() {
  for one in "$@"; do
    if asked "${one#*:}"; then "${one%:*}"; fi
  done &
  lanes+=($!)
}
lane core pi:agents
lane walks
lane package viewer
lane agents hosts:agents runners:agents
ended=0
for one in "${lanes[@]}"; do wait "$one" || ended=$?; done
[ "$ended" -eq 0 ] || exit "$ended"
printf '\nall passed in %d s\n' "$SECONDS"
