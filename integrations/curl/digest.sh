#!/bin/sh
# Prints the digest of a request: digest.sh request.json, the body that was sent to the intake. It needs jq and sha256sum.
set -eu
shown='{change, cutFrom: (.cutFrom | if . then {lines, sha256} else null end),
  fields: (.fields // {} | to_entries | map(select(.value != null) | [.key, (.value | tostring)]) |
    if . == [] then null else . end),
  link, message, title} | with_entries(select(.value != null and .value != ""))'
# A pipe hides its failure.
jq "$shown" "$1" >/dev/null
jq -jcS "$shown" "$1" | sha256sum
