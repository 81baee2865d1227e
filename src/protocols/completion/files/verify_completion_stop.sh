#!/usr/bin/env bash
# The baseline verification of the repository: canonical files first, then its own tests.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash .agent/verify_completion_control_plane.sh
{{#commands}}

printf 'running:'; printf ' %q' {{command}}; echo
{{command}}
{{/commands}}
{{^commands}}

echo 'No verification command of this repository is known.' 'Only the canonical files were checked.'
{{/commands}}
