# A plain agent that plays every role of every protocol, for the tests of random kills. It believes what its prompt says
# and looks at nothing else: work that it is not told of it does again. The work of an item is one commit, `work ITEM`.
set -u
prompt=$(cat)
anchor=$(printf '%s\n' "$prompt" | sed -n 's/^MISSION ANCHOR: //p' | head -n 1)
item=${ENDSTATE_ITEM:-}

told() { case $prompt in *"$1"*) ;; *) return 1 ;; esac; }

nap() { sleep "0.0$(($$ % 9))"; }

report() {
  printf 'MISSION ANCHOR: %s\nRemaining contract IDs: C-1\n\n```json\n%s\n```\n' "$anchor" "$1"
}

# Sets `commit` to the work of an item: what the prompt tells of, or else a new one.
work() {
  commit=
  for id in $(printf '%s\n' "$prompt" | sed -n 's/.*the oldest first: \([0-9a-f, ]*\)\..*/\1/p' | tr , ' '); do
    [ "$(git log -1 --format=%s "$id")" = "work $1" ] && commit=$(git rev-parse "$id")
  done
  if [ -z "$commit" ]; then
    nap
    # What a test of cheats wants to be done beside the work.
    [ ! -e .git/does.sh ] || sh .git/does.sh
    file=$(printf '%s.txt' "$1" | tr / -)
    echo "$1" >>"$file"
    tries=0
    # Others may hold the index.
    until git add "$file" 2>/dev/null && git commit -q -m "work $1" -- "$file" >/dev/null 2>&1; do
      tries=$((tries + 1))
      [ "$tries" -lt 100 ] || exit 1
      sleep 0.03
    done
    commit=$(git log -1 --format=%H --grep="^work $1\$")
  fi
  nap
}

proof='[{"kind": "command", "command": "git diff --exit-code HEAD", "exit_status": 0}]'
# What judges cite; a test of cheats may want them to cite something else.
cites=$proof
[ ! -e .git/cites ] || cites=$(cat .git/cites)
held='"finding": "holds", "method": "looked at it", "evidence": '$cites
left='"remaining_release_blockers": 0, "remaining_high_value_gaps": '

slice() {
  printf '{"slice_id": "%s", "goal": "%s", "acceptance_criteria": ["it is there"], "contract_ids": ["C-1"], "priority": 5,
    "why_now": "it is next", "blocked_on": [%s]}' "$1" "$1" "$2"
}

regrounder() {
  if told 'All judges agree'; then
    report '{"plan_basis": "all of it", '"$left"'0, "can_stop": true}'
  elif told 'The slice S1 is committed'; then
    report '{"plan_basis": "all of it", "reconciliation": {"slice_id": "S1", "decision": "accepted"},
      "selected": {"slice_id": "S2"}, '"$left"'1}'
  elif told 'The slice S2 is committed'; then
    report '{"plan_basis": "all of it", "reconciliation": {"slice_id": "S2", "decision": "accepted"}, '"$left"'0}'
  else
    report '{"plan_basis": "all of it", "slices": ['"$(slice S1 ''), $(slice S2 '"S1"')"'], "selected": {"slice_id": "S1"},
      '"$left"'2}'
  fi
}

judged() {
  head=$(git rev-parse HEAD)
  report '{"slice_id": "'"$item"'", "commit_sha": "'"$head"'", "verdicts": [{"criterion": "AC-001", '"$held"'}],
    "docs": "holds", "must_fix_findings": [], "acceptable": true'"$1"'}'
}

case $ENDSTATE_ROLE in
check-judge)
  # It calls every change weaker; a test of cheats may want it to say something else, or nothing.
  [ "$(cat .git/finds 2>/dev/null)" != nothing ] || exit 1
  rows=
  for check in $(printf '%s\n' "$prompt" | sed -n 's/^### \(CHECK-[0-9]*\)$/\1/p'); do
    rows="$rows${rows:+, }"'{"check": "'"$check"'", "finding": "'"$(cat .git/finds 2>/dev/null || echo weakened)"'", "reason": "looked at it"}'
  done
  report '{"checks": ['"$rows"']}'
  ;;
*regrounder) nap && regrounder ;;
*implementer)
  work "$item"
  report '{"slice_id": "'"$item"'", "outcome": "implemented", "commit_sha": "'"$commit"'",
    "claims": [{"criterion": "AC-001", "status": "complete", "evidence": '"$proof"'}]}'
  ;;
*reviewer) judged '' ;;
*auditor) judged ', "release_blocker_count": 0, "high_value_gap_count": 0' ;;
*stop-judge)
  report '{"head_sha": "'"$(git rev-parse HEAD)"'", "can_stop": true, "blocker_count": 0, "high_value_gap_count": 0,
    "reasons": ["looked at it"]}'
  ;;
*player)
  work "$item"
  turn=$(printf '%s\n' "$prompt" | sed -n 's/.*: turn \([0-9]*\) of at most.*/\1/p' | head -n 1)
  report '{"task_id": "'"$item"'", "turn": '"$turn"', "completion_promise": {"statement": "done", "criteria":
    [{"criterion_id": "AC-001", "status": "verified", "evidence": '"$proof"'}]}}'
  ;;
*coach)
  nap
  report '{"task_id": "'"$item"'", "decision": "approve", "criteria_verification": [{"criterion_id": "AC-001",
    "coach_verified": true, "verification_method": "looked at it", "evidence": '"$cites"'}]}'
  ;;
sprint-agent | agent)
  work "$item"
  report '{"sprint": "'"$item"'", "outcome": "completed", "findings": ["'"$commit"'"],
    "claims": [{"criterion": "AC-001", "status": "complete", "evidence": '"$proof"'}]}'
  ;;
*verifier) nap && report '{"sprint": "'"$item"'", "verdicts": [{"criterion": "AC-001", '"$held"'}], "must_fix": []}' ;;
*executor)
  work "$item"
  report '{"block": "'"$item"'", "status": "SUCCESS", "claims": [{"criterion": "AC-001", "evidence": '"$proof"'}],
    "summary": {"commits": ["'"$commit"'"], "key-files": {"created": ["'"$item"'.txt"]}, "words": "Done."}}'
  ;;
*recognizer)
  nap
  rows=
  for block in 01-01 01-02 01-03; do
    told "Block $block" || continue
    seen='[{"kind": "file", "path": "'"$block"'.txt", "line": 1}]'
    [ ! -e .git/cites ] || seen=$cites
    rows="$rows${rows:+, }"'{"block": "'"$block"'", "criterion": "AC-001", "finding": "holds", "method": "read it",
      "evidence": '"$seen}"
  done
  report '{"verdict": "CLEAR", "verdicts": ['"$rows"']}'
  ;;
*learner)
  report '{"project_type": "cli", "tech_stack": ["sh"], "complexity": "simple", "what_worked": ["one file each"],
    "what_failed": [], "patterns": [], "recommendations": []}'
  ;;
*iteration-agent)
  # What a run before it said it did is done.
  done=
  for next in one two; do
    told "did $next" && done="$done did $next"
  done
  case $done in
  *two*) ;;
  *one*) work two && done="$done did two" ;;
  *) work one && done='did one' ;;
  esac
  echo "$done"
  ;;
*) echo "nobody is $ENDSTATE_ROLE" >&2 && exit 2 ;;
esac
