#!/bin/sh
# tally: counts. Nothing is counted yet.
set -eu
echo "tally: nothing to do" >&2
exit 2
