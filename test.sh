#!/usr/bin/env bash
# Every check and every test, on a fresh machine: sets up what it needs and says how long each took.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

suite() {
  local name=$1 began=$SECONDS
  shift
  printf '\n== %s: %s\n' "$name" "$*"
  if ! "$@"; then
    printf '== %s FAILED after %d s\n' "$name" "$((SECONDS - began))" >&2
    exit 1
  fi
  printf '== %s passed in %d s\n' "$name" "$((SECONDS - began))"
}

if command -v rustup > /dev/null; then
  rustup component add rustfmt clippy > /dev/null 2>&1 || true
  suite 'wasm target' rustup target add wasm32-unknown-unknown
fi

suite 'format' cargo fmt --check
suite 'lints' cargo clippy --all-targets -- -D warnings
suite 'core without features' cargo check --lib --no-default-features --target wasm32-unknown-unknown
# The walks are built with a profile of their own, and the core alone; the others gain less by it than it costs.
tests=() walks=()
for file in tests/*.rs; do
  name=$(basename "$file" .rs)
  if [[ $name == walk* ]]; then walks+=(--test "$name"); else tests+=(--test "$name"); fi
done
suite 'unit, property, host and command line tests' cargo test --lib --bins "${tests[@]}"
suite 'examples of the documentation' cargo test --doc
suite 'exhaustive walks' cargo test --no-default-features --profile walks "${walks[@]}"
suite 'documentation' env RUSTDOCFLAGS='-D warnings' cargo doc --no-deps --lib

if ! command -v node > /dev/null; then
  echo 'Node is not installed: the WebAssembly package cannot be built and tested.' >&2
  exit 1
fi

suite 'npm package' node js/build.mjs
# The suites are given what was just built.
ENDSTATE_TARBALL=$(ls "$PWD"/target/npm/endstate-*.tgz)
export ENDSTATE_TARBALL
suite 'package: engine, driver, examples' node --test js/tests/endstate.test.mjs
suite 'package: consumers' node --test js/tests/consumers.test.mjs
suite 'viewer in Chromium' node --test js/tests/viewer.test.mjs
suite 'real agents: installed' node tests/agents/install.mjs
suite 'real agents: roles' node --test js/tests/agents.test.mjs
suite 'real agents: hosts' node --test js/tests/hosted.test.mjs
suite 'real agents: pi' node --test js/tests/pi.test.mjs

printf '\nall passed in %d s\n' "$SECONDS"
