#!/bin/sh
# slug: turns titles into names. It does nothing yet.
set -eu
echo "slug: nothing to do" >&2
exit 2
