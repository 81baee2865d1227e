#!/bin/sh
# Runs every tests/*_test.sh in an empty directory of its own, and says how many passed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
passed=0
for test in "$root"/tests/*_test.sh; do
  [ -e "$test" ] || continue
  place=$(mktemp -d)
  if (cd "$place" && TALLY="$root/bin/tally" SLUG="$root/bin/slug" sh -eu "$test"); then
    passed=$((passed + 1))
    rm -rf "$place"
  else
    echo "FAILED: ${test##*/}" >&2
    rm -rf "$place"
    exit 1
  fi
done
echo "$passed tests passed"
