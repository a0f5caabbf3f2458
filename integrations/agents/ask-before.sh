#!/bin/sh
# A hook for coding agents that call one before a tool runs, with the call as JSON on stdin:
# { "tool_name": "…", "tool_input": { "command": "…" } }. People in Slack approve the exact call.
#
# Exit codes, as such hooks have them: 0 lets the call through, 2 stops it and says why on stderr.
#
#   GATEPOST_URL, GATEPOST_INTAKE_SECRET   where Gatepost is, and the secret of your source
#   ASK_BEFORE                             optional: an extended regular expression; only a command that
#                                          matches is asked about, such as 'deploy|terraform apply|git push'.
#                                          It spares people questions and is no boundary: the same thing can
#                                          be done by a command that does not match.
#   TIMEOUT_S                              optional: keep it below the agent's own limit for hooks; 600
set -u

stop() { printf '%s\n' "$1" >&2; exit 2; }

asking='' change=''
trap '[ -z "$asking" ] || kill "$asking" 2>/dev/null; rm -f "$change"' EXIT
trap 'exit 2' HUP INT TERM

call=$(cat)
# Of one call, with its input.
input='if length == 1 then .[0].tool_input | objects else empty end'
what=$(printf '%s' "$call" | jq -rs "$input | if (.command | type) == \"string\" then .command else tojson end")
[ -n "$what" ] || stop 'The call could not be read, so it was not approved.'
if [ -n "${ASK_BEFORE:-}" ]; then
  # Line by line, and all of it in one line: an agent can write "git push" on two.
  {
    printf '%s\n' "$what"
    printf '%s' "$call" | jq -rs "$input | .command? // . | [.. | strings] | join(\" \")" | tr -s ' \t\r\n\\' '     '
  } | grep -Eq -- "$ASK_BEFORE"
  case $? in
  0) ;;
  1) exit 0 ;;
  *) stop 'ASK_BEFORE is no regular expression, so nothing is let through.' ;;
  esac
fi
change=$(mktemp) || stop 'There is no room for a file, so the call was not approved.'
printf '%s\n' "$what" >"$change" || stop 'There is no room for a file, so the call was not approved.'
# In the background, since a shell heeds no signal while it waits for a command in front.
TITLE="An agent wants to use $(printf '%s' "$call" | jq -r '.tool_name // "a tool"')" \
  MESSAGE="On $(hostname), in $(pwd)" CHANGE_FILE=$change TIMEOUT_S=${TIMEOUT_S:-600} \
  sh "$(dirname "$0")/../curl/ask.sh" >&2 &
asking=$!
wait "$asking"
decided=$?
asking=''
case $decided in
0) exit 0 ;;
1) printf 'People rejected this call. Do not try it in another way; ask what to do instead.\n' >&2 ;;
*) printf 'This call was not approved.\n' >&2 ;;
esac
exit 2
