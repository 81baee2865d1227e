#!/bin/sh
# The checks of this project; each must hold.
test "$(sh greet.sh Ada)" = "hello Ada" || { echo "one name fails"; exit 1; }
test "$(sh greet.sh Ada Bo | wc -l | tr -d ' ')" = 2 || { echo "two names fail"; exit 1; }
