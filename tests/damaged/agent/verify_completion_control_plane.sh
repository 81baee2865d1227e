#!/usr/bin/env bash
# Checks the canonical files of the mission, each by itself.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

endstate="${ENDSTATE_BIN:-endstate}"
if ! command -v "$endstate" >/dev/null 2>&1; then
  printf '%s\n' "endstate is not found as '$endstate'." \
    'Install it, or set ENDSTATE_BIN to its path. Nothing was checked.' >&2
  exit 127
fi

exec "$endstate" check --level files
