# An agent that works by a line of a shell, and proposes the command in `.git/argv` for what only words show.
prompt=$(cat)
echo "$ENDSTATE_ROLE" >> .git/sent
case $ENDSTATE_ROLE in
check-proposer)
  anchor=$(printf '%s\n' "$prompt" | sed -n 's/^MISSION ANCHOR: //p' | head -n 1)
  printf 'MISSION ANCHOR: %s\nRemaining contract IDs: none\n\n```json\n%s\n```\n' "$anchor" \
    "{\"criteria\": [{\"criterion\": \"WORDS-1\", \"argv\": $(cat .git/argv), \"reason\": \"it greets\"}]}" ;;
*) echo hello > greeting; echo I did it ;;
esac
