[ "$(git log --format=%s | sort -u | grep -c "^work ")" = 2 ]
