#!/bin/sh
# Has the mirror the release? It takes three looks.
mkdir -p .agent/tmp
echo look >> .agent/tmp/looks
[ "$(wc -l < .agent/tmp/looks)" -ge 3 ]
