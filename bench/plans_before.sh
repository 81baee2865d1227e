#!/usr/bin/env bash
# What missions are begun with, by plan documents as they are read now and as they were read before the canonical reader
# (commit 7ea78cc8): `bash bench/plans_before.sh [FOLDER] [COMMIT]`. Both read every document of FOLDER; what differs is
# counted by kind (bench/plans_before/compare.mjs). It needs the history of the repository, and builds both libraries.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath "${1:-../shared/corpus}")
commit=${2:-7ea78cc8}
work=$(mktemp -d)
trap 'rm -rf "$work"; git worktree prune' EXIT
git worktree add --quiet --detach "$work/before" "$commit"
git worktree add --quiet --detach "$work/now" HEAD

# What each makes of all documents: a line of JSON for each that it reads.
configs() {
  cp bench/plans_before/configs.rs "$work/$1/examples/configs.rs"
  sed -i "s/ENTRY/$2/" "$work/$1/examples/configs.rs"
  (cd "$work/$1" && cargo build --quiet --locked --no-default-features --example configs \
    --target-dir "${CARGO_TARGET_DIR:-$work/target}/$1")
  find "$folder" -type f \( -name '*.md' -o -name '*.json' -o -name '*.jsonl' \) -print0 | sort -z |
    xargs -0 "${CARGO_TARGET_DIR:-$work/target}/$1/debug/examples/configs" >"$work/$1.jsonl"
}
configs before '\&name, \&text, "project"'
configs now '\&name, \&files, "project"'
node bench/plans_before/compare.mjs "$work/before.jsonl" "$work/now.jsonl"
