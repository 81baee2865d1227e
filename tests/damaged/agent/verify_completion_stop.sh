#!/usr/bin/env bash
# The baseline verification of the repository: canonical files first, then its own tests.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash .agent/verify_completion_control_plane.sh

printf 'running:'; printf ' %q' 'make' 'test'; echo
'make' 'test'
