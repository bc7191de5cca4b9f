#!/bin/sh
# limit.sh - checks that a person can still know the whole tree; part of `make lint`
#
# tools/limit has two numbers, which only go down: the lines of all files but pictures, and those of
# the core, the toll and the boot with the headers that they include. A feature pays by a removal in
# the same change.
set -eu
cd "$(dirname "$0")/.."
lines() { git ls-files -z -- "$@" ':!*.png' | xargs -0 cat | wc -l; }
while read -r limit what paths; do
    # shellcheck disable=SC2086
    now=$(lines $paths)
    [ "$now" -le "$limit" ] || { echo "tools/limit: $what has $now lines, more than $limit"; bad=1; }
done <tools/limit
exit "${bad:-0}"
