#!/bin/sh
# Adds up the sales of one shop. A task can be a program in any language:
#   input    JSON in $HOLDFAST_INPUT, and in the file $HOLDFAST_INPUT_FILE
#   output   JSON in the file $HOLDFAST_OUTPUT_FILE
#   success  exit code 0; anything else is a failure, and is tried again as etl.yaml says
set -eu

# With jq: file=$(jq -r .item "$HOLDFAST_INPUT_FILE")
file=$(printf '%s' "$HOLDFAST_INPUT" | sed 's/.*"item": *"\([^"]*\)".*/\1/')
shop=$(basename "$file" .csv)

echo "adding up $file"
sleep $((1 + HOLDFAST_PARALLEL_INDEX % 3)) # so that there is something to watch

# One shop fails the first time, to show what happens then.
if [ "$shop" = shop-07 ] && [ "$HOLDFAST_ATTEMPT" -eq 1 ]; then
    echo "$shop: the connection was lost" >&2
    exit 75
fi

awk -F, -v shop="$shop" '
    NR > 1 { sales += 1; cents += $2 }
    END { printf "{\"shop\": \"%s\", \"sales\": %d, \"cents\": %d}\n", shop, sales, cents }
' "$file" > "$HOLDFAST_OUTPUT_FILE"
