#!/bin/sh
# A hook for coding agents that call one before a tool runs, with the call as JSON on stdin:
# { "tool_name": "…", "tool_input": { "command": "…" } }. People in Slack approve the exact call.
#
# Exit codes, as such hooks have them: 0 lets the call through, 2 stops it and says why on stderr. It ends with 0 for an
# approval (or a call that ASK_BEFORE does not match), and with 2 for everything else.
#
#   GATEPOST_URL, GATEPOST_INTAKE_SECRET   where Gatepost is, and the secret of your source
#   ASK_BEFORE                             optional: an extended regular expression; only a call with a match
#                                          anywhere in its input is asked about, such as
#                                          'deploy|terraform apply|git push'. It spares people questions and is
#                                          no boundary: the same thing can be done by a call that does not match.
#   TIMEOUT_S                              optional: seconds, 540 without it. Keep it below the agent's own limit
#                                          for hooks: an agent that ends a hook there may run the tool. This hook
#                                          ends before TIMEOUT_S has passed, whatever does not answer.
set -u

next='Do not try it in another way; ask what to do instead.'
late="No decision arrived in time, so this call is not approved. $next"
refuse() { printf '%s\n' "$1" >&2; exit 2; }

# A shell can lose a signal that comes just before it waits.
end() {
  for _ in 1 2 3; do
    kill "$1" 2>/dev/null || return
    sleep 1
  done
}

# Runs the function $2 in the background and leaves its exit code in `code`, or `late` after $1 seconds. The deadline is
# the `sleep`, which the function's end interrupts with USR1: no network, no file and no clock can make it late.
nap='' working=''
within() {
  sleep "$1" </dev/null >/dev/null 2>&1 &
  nap=$!
  {
    (
      trap "kill -s USR1 $nap 2>/dev/null" EXIT
      nap='' working=''
      "$2"
    ) <&3 3<&- >/dev/null &
    working=$!
  } 3<&0
  wait "$nap" 2>/dev/null
  code=$?
  if [ "$code" -gt 128 ] && [ "$(kill -l "$code" 2>/dev/null)" = USR1 ]; then
    wait "$working" 2>/dev/null
    code=$? working=''
  else
    code=late
  fi
  nap=''
}

# A signal can come before it is known in `working` what was started last.
wake() {
  [ -n "$nap" ] || return
  [ "$!" = "$nap" ] || working=$!
  kill "$nap" 2>/dev/null
}

# Ends what is left. KILL: `answer` holds the stderr that the agent may read to its end, and can hang.
approved=''
finish() {
  wake
  if [ -n "$working" ]; then
    (kill "$working" && sleep 1 && kill "$working" && sleep 1 && kill -s KILL "$working") </dev/null >/dev/null 2>&1 &
  fi
  # Whatever ended the shell: agents let the call through after any other code.
  [ -n "$approved" ] || exit 2
}
trap finish EXIT
trap 'refuse "The hook was ended before there was a decision, so this call is not approved. $next"' HUP INT QUIT TERM
# An agent that no longer reads still gets the exit code.
trap '' PIPE

limit_s=${TIMEOUT_S:-540}
case $limit_s in
*[!0-9]* | 0* | ????????*) limit_s=0 ;;
esac
[ "$limit_s" -ge 10 ] || refuse 'TIMEOUT_S must be a whole number of seconds, 10 or more. This call is not approved.'
# First the request times out, then `answer` stops waiting for it, then the hook stops waiting for `answer`, and then
# there is time left to end.
ask_s=$((limit_s - 8)) wait_s=$((limit_s - 6)) answer_s=$((limit_s - 4))

# Ends with 0 if the call can run, else with the code of ask.sh. Any of its commands can hang.
decide() {
  exec 2>"$folder/said" || exit 5
  printf 'The call was not read to its end.\n' >&2
  call=$(cat)
  # Of one call, with its input.
  input='if length == 1 then .[0].tool_input | objects else empty end'
  # The command as text, then whatever else is in the input.
  printf '%s' "$call" | jq -rs "$input |
    if .command | type == \"string\" and . != \"\" then .command, (del(.command) | select(. != {}) | \"\", tojson)
    else tojson end" >"$folder/change" && [ -s "$folder/change" ] || refuse 'The call could not be read.'
  if [ -n "${ASK_BEFORE:-}" ]; then
    # Each string, and all those of a list or an object as one. Line by line, and all lines as one: an agent can write
    # "git push" on two.
    strings=$(printf '%s' "$call" | jq -rs "$input |
      .. | [.. | strings] | select(. != []) | join(\" \") | ., (split(\"\\n\") | join(\" \"))") &&
      spaced=$(printf '%s' "$strings" | tr -s ' \t\r\\' '    ') || refuse 'The call could not be read.'
    printf '%s\n' "$strings" "$spaced" | grep -Eq -e "$ASK_BEFORE" -- "$folder/change" -
    case $? in
    0) ;;
    1) exit 0 ;;
    *) refuse 'ASK_BEFORE is no regular expression.' ;;
    esac
  fi
  title="An agent wants to use $(printf '%s' "$call" | jq -r '.tool_name // "a tool"')"
  message="On $(hostname), in $(pwd)"
  passed_s=$(($(date +%s) - started_at))
  [ "$passed_s" -ge 0 ] || passed_s=0
  [ "$passed_s" -lt "$ask_s" ] || refuse 'The call was read too late.'
  # In the background, since a shell heeds no signal while it waits for a command in front.
  asked=''
  trap 'trap "" TERM; end "$asked"; exit 130' TERM
  # No KEY: every call is asked about, even if the same one was approved before.
  KEY='' TITLE=$title MESSAGE=$message CHANGE_FILE=$folder/change TIMEOUT_S=$((ask_s - passed_s)) \
    sh "$(dirname "$0")/../curl/ask.sh" >"$folder/approved" 2>"$folder/said" &
  asked=$!
  wait "$asked"
  code=$?
  # 0 alone is not enough: an ask.sh that was not copied whole can end with it.
  [ "$code" -ne 0 ] || [ -s "$folder/approved" ] || refuse 'ask.sh ended without a decision.'
  exit "$code"
}

# Ends what `answer` started, and removes its files. In the background, since each can hang.
leave() {
  wake
  (
    [ -z "$working" ] || end "$working"
    [ -z "$folder" ] || rm -rf "$folder"
  ) </dev/null >/dev/null 2>&1 &
}

# Ends with 0 if the call can run; else it says why not. What it starts has let go of the agent's stdout and stderr, or
# an agent that reads them to their end would wait for what hangs.
answer() {
  folder=''
  trap 'trap "" TERM; leave; exit 2' TERM
  started_at=$(exec 2>/dev/null; date +%s)
  folder=$(exec 2>/dev/null; mktemp -d) && [ -n "$folder" ] || refuse "There is no room for a file, so this call is not approved. $next"
  within "$wait_s" decide
  if [ "$code" = late ]; then
    # Closes the request, should there be time left by Gatepost's clock.
    kill "$working" 2>/dev/null
    sleep 1 </dev/null >/dev/null 2>&1
  fi
  last='' asked=''
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
    'Key: '*) continue ;;
    'Waiting for a decision'*) asked=yes ;;
    esac
    last=${line%' Trying again.'}
  done 2>/dev/null <"$folder/said"
  leave
  [ "$code" != 0 ] || exit 0
  [ -z "$last" ] || printf '%s\n' "$last" >&2
  case $code in
  1) refuse "People rejected this call. $next" ;;
  3 | 4) refuse "This call is not approved. $next" ;;
  late | 130) refuse "$late" ;;
  esac
  [ -z "$asked" ] || refuse "No decision arrived, so this call is not approved. $next"
  refuse "Nobody could be asked, so this call is not approved. $next"
}

within "$answer_s" answer
case $code in
0) approved=yes; exit 0 ;;
late) refuse "$late" ;;
*) exit 2 ;;
esac
