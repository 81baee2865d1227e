#!/bin/sh
# A small agent that works for real: reads its prompt, changes files, commits, looks for itself.
# The mission is the peer's: add hello.txt, with a check.
set -eu
prompt=$(cat)
mission=$(printf '%s\n' "$prompt" | sed -n 's/^MISSION ANCHOR: //p' | sed -n 1p)
head=$(git rev-parse HEAD)
if test -f hello.txt && git cat-file -e HEAD:hello.txt; then finding=holds; ok=true; else finding=does_not_hold; ok=false; fi

# What was run to find that out, as evidence.
proof='{"kind": "command", "command": "test -f hello.txt", "exit_status": '$($ok && echo 0 || echo 1)'}'

says() { case $prompt in *"$1"*) return 0 ;; esac; return 1; }

slice() { printf '%s\n' "$prompt" | sed -n 's/^Slice \([^:]*\): .*/\1/p' | sed -n 1p; }

# The first argument is what is still to do, the second the block.
report() {
  printf 'MISSION ANCHOR: %s\nRemaining contract IDs: %s\n\nDone by hand.\n\n```json\n%s\n```\n' "$mission" "$1" "$2"
}

regrounder() {
  counts="\"remaining_release_blockers\": 0, \"remaining_high_value_gaps\": 0"
  if says 'All judges agree'; then
    report none "{\"plan_basis\": \"looked at hello.txt at $head\", $counts, \"can_stop\": $ok}"
  elif says 'Decide: accepted or reopened'; then
    committed=$(printf '%s\n' "$prompt" | sed -n 's/^The slice \(.*\) is committed as .*/\1/p')
    # Review and audit must both have shown it, in so many words.
    shown=$(printf '%s\n' "$prompt" | grep -c '^- AC-001: Holds') || true
    decision=reopened
    if $ok && test "$shown" -eq 2 && ! says 'must be fixed:'; then decision=accepted; fi
    report none "{\"plan_basis\": \"hello.txt: $finding\", \"reconciliation\": {\"slice_id\": \"$committed\",
      \"decision\": \"$decision\", \"must_fix_findings\": [\"shown $shown times, wanted from two; add a check\"]}, $counts}"
  elif grep -q '"slice_id"' .agent/plan.json; then
    report C-1 "{\"plan_basis\": \"read the plan\", \"selected\": {\"slice_id\": \"S1\"}, $counts}"
  else
    report C-1 "{\"plan_basis\": \"the repository at $head has no plan\", \"slices\": [{\"slice_id\": \"S1\",
      \"goal\": \"Add greeting file\", \"acceptance_criteria\": [\"hello.txt exists\"], \"contract_ids\": [\"C-1\"],
      \"priority\": 1, \"why_now\": \"first\", \"blocked_on\": []}], \"selected\": {\"slice_id\": \"S1\"}, $counts}"
  fi
}

implementer() {
  if ! git cat-file -e HEAD:hello.txt 2>/dev/null; then
    echo hello > hello.txt
    git add hello.txt
    git commit -q -m "$(slice): greeting"
  elif says 'Must be fixed:' && ! test -f check.sh; then
    echo 'test "$(cat hello.txt)" = hello' > check.sh
    git add check.sh
    git commit -q -m "$(slice): a check of the greeting"
  fi
  head=$(git rev-parse HEAD)
  status=0
  test -f hello.txt || status=$?
  report C-1 "{\"slice_id\": \"$(slice)\", \"outcome\": \"implemented\", \"commit_sha\": \"$head\",
    \"claims\": [{\"criterion\": \"AC-001\", \"status\": \"complete\",
      \"evidence\": [{\"kind\": \"command\", \"command\": \"test -f hello.txt\", \"exit_status\": $status}]}]}"
}

# On the commit that is named, whatever the head is now. What follows the shared part is the argument.
verdict() {
  commit=$(printf '%s\n' "$prompt" | sed -n 's/^Commit under [a-z]*: //p')
  if git cat-file -e "$commit:hello.txt"; then finding=holds; ok=true; else finding=does_not_hold; ok=false; fi
  findings='[]'
  $ok || findings='["there is no hello.txt"]'
  report none "{\"slice_id\": \"$(slice)\", \"commit_sha\": \"$commit\", \"verdicts\": [{\"criterion\": \"AC-001\",
    \"finding\": \"$finding\", \"method\": \"test -f hello.txt\", \"evidence\": [$proof]}], \"docs\": \"holds\",
    \"must_fix_findings\": $findings, \"acceptable\": $ok$1}"
}

judge() {
  stale=$(printf '%s\n' "$prompt" | sed -n \
    's/^- slice \([^,]*\), criterion \([^:]*\): .*/{"slice_id": "\1", "criterion": "\2", "finding": "'$finding'", "method": "test -f hello.txt", "evidence": ['"$proof"']}/p' |
    paste -sd, -)
  blockers=0
  $ok || blockers=1
  report none "{\"head_sha\": \"$head\", \"can_stop\": $ok, \"blocker_count\": $blockers, \"high_value_gap_count\": 0,
    \"reasons\": [\"test -f hello.txt: $finding\"], \"stale_verdicts\": [$stale]}"
}

echo "$ENDSTATE_ROLE $ENDSTATE_ITEM" >> .git/played
case $ENDSTATE_ROLE in
  completion-regrounder) regrounder ;;
  completion-implementer) implementer ;;
  completion-reviewer) verdict '' ;;
  completion-auditor) verdict ', "release_blocker_count": 0, "high_value_gap_count": 0' ;;
  completion-stop-judge) judge ;;
  *) echo "no such role: $ENDSTATE_ROLE" >&2; exit 1 ;;
esac
