#!/bin/sh
# A hook for coding agents that call one before a tool runs, with the call as JSON on stdin:
# { "tool_name": "…", "tool_input": { "command": "…" } }. People in Slack approve the exact call.
#
# Exit codes, as such hooks have them: 0 lets the call through, 2 stops it and says why on stderr.
#
#   GATEPOST_URL, GATEPOST_INTAKE_SECRET   where Gatepost is, and the secret of your source
#   ASK_BEFORE                             optional: an extended regular expression; only a command that
#                                          matches is asked about, such as 'deploy|terraform apply|git push'
#   TIMEOUT_S                              optional: keep it below the agent's own limit for hooks; 600
set -u
call=$(cat)
what=$(printf '%s' "$call" | jq -er '.tool_input.command // (.tool_input | tojson)') || {
  printf 'The call could not be read, so it was not approved.\n' >&2
  exit 2
}
if [ -n "${ASK_BEFORE:-}" ]; then
  printf '%s' "$what" | grep -Eq -- "$ASK_BEFORE"
  case $? in
  0) ;;
  1) exit 0 ;;
  *) printf 'ASK_BEFORE is no regular expression, so nothing is let through.\n' >&2; exit 2 ;;
  esac
fi
change=$(mktemp) || exit 2
trap 'rm -f "$change"' EXIT
printf '%s\n' "$what" >"$change"
TITLE="An agent wants to use $(printf '%s' "$call" | jq -r '.tool_name // "a tool"')" \
  MESSAGE="On $(hostname), in $(pwd)" CHANGE_FILE=$change TIMEOUT_S=${TIMEOUT_S:-600} \
  sh "$(dirname "$0")/../curl/ask.sh" >&2
case $? in
0) exit 0 ;;
1) printf 'People rejected this call. Do not try it in another way; ask what to do instead.\n' >&2 ;;
*) printf 'This call was not approved.\n' >&2 ;;
esac
exit 2
