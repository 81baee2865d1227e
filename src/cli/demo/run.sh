#!/bin/sh
# Runs every tests/*_test.sh in an empty directory of its own, and says how many passed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
passed=0
for test in "$root"/tests/*_test.sh; do
  [ -e "$test" ] || continue
  mkdir "$place/$passed"
  if ! (cd "$place/$passed" && TALLY="$root/bin/tally" SLUG="$root/bin/slug" sh -eu "$test"); then
    echo "FAILED: ${test##*/}" >&2
    exit 1
  fi
  passed=$((passed + 1))
done
echo "$passed tests passed"
