#!/usr/bin/env bash
# Ours beside its peers, in one run: the native engine, the package in Node, XState, immer, robot3 and a reducer by hand, over one
# story of completion with the same outcomes. Sets up what it needs: Rust, Node 20, npm and a network for what is not there yet.
#
#   bash bench/peers.sh [--quick] [--json]
#
# Ends with 1 if a peer comes to another outcome than ours. The last line is one object of JSON, `{"ratios":{...}}`: a peer's time
# over that of the package. --quick measures fewer rounds, --json prints nothing but rows and ratios as JSON.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
package=$PWD/target/npm/stage/index.node.mjs
native=${CARGO_TARGET_DIR:-$PWD/target}/release/examples/bench_data
data=$PWD/target/peers

# The package says which commit it is of; it serves as long as nothing that it is made of is other than there.
of_this_commit() {
  local built
  built=$(node -e 'import(process.argv[1]).then((it) => console.log(it.version().split("+")[1]))' "$package" 2> /dev/null) || return 1
  git diff --quiet "$built" -- src js plugins pkg-template examples/schemas.rs Cargo.toml Cargo.lock 2> /dev/null
}

{
  cargo build --locked --profile bench --no-default-features --example bench_data
  of_this_commit || node js/build.mjs
  cmp -s bench/peers/package-lock.json bench/peers/node_modules/.of || {
    npm ci --prefix bench/peers --ignore-scripts --no-audit --no-fund
    cp bench/peers/package-lock.json bench/peers/node_modules/.of
  }
  [ "$data/written" -nt "$native" ] || { "$native" "$data" && touch "$data/written"; }
} >&2
exec node bench/peers/run.mjs "$data" "$package" "$native" "$@"
