#!/bin/sh
# A hook for coding agents that call one before a tool runs, with the call as JSON on stdin:
# { "tool_name": "…", "tool_input": { "command": "…" } }. People in Slack approve the exact call.
#
# Exit codes of such hooks: 0 lets the call through, 2 stops it and says why on stderr. It is 0 for an approval (or a
# call that ASK_BEFORE does not match), and 2 for everything else.
#
# If the call names its session ("session_id" or "conversation_id"), the same call in that session resumes the same
# request, which stays open for an hour. A decision is valid for an hour, too, and an approval for one call.
#
#   GATEPOST_URL, GATEPOST_INTAKE_SECRET   Gatepost's address, and the secret of your source
#   GATEPOST_REQUESTED_BY                  optional: who asks, and cannot approve the call: an e-mail address, a Slack
#                                          user id, a login such as github:octocat, a name, or none. Without it the
#                                          address that git has in this folder (user.email)
#   ASK_BEFORE                             optional: a regular expression, as jq reads it, or several, one a line;
#                                          only a call with a match anywhere in its input is asked about, such as
#                                          'deploy|terraform apply|git push'. What is not clear in it blocks every call,
#                                          and the reason names it. It saves people questions and is no security
#                                          boundary: another call can do the same without a match.
#   TIMEOUT_S                              optional: seconds, default 540. Keep it below the agent's own limit
#                                          for hooks: an agent may run the tool when a hook exceeds that. This hook
#                                          ends before TIMEOUT_S has passed, even if nothing answers.
#
# `ask-before.sh --check 'kubectl delete pod x'` says whether it would ask about that command: 0 yes, 1 no, 2 if ASK_BEFORE
# is not clear. It asks nobody.
# For `zsh ask-before.sh`; as sh, zsh does this itself. -R: with its own NOTIFY, zsh 5.9 crashes if a background process ends
# during the trap of EXIT.
[ -z "${ZSH_VERSION:-}" ] || emulate -R sh
set -u

next='Do not try it in another way; ask what to do instead.'
late="No decision arrived in time, so this call is not approved. $next"
again='Not decided yet, so this call is not approved. To go on waiting make the same call again; do not try it in another way.'
hour_s=3600
refuse() { printf '%s\n' "$1" >&2; exit 2; }

# jq would take functions from ~/.jq, which an agent may be able to write.
home=${HOME:-} HOME=/dev/null
export HOME

# The expressions of ASK_BEFORE. A blank at an end of a line is part of its expression; more of them are one.
expressions='def expressions: $ENV.ASK_BEFORE // "" | [splits("\r?\n")]
  | map(select(test("\\S")) | gsub("\\A\\s+|\\s+\\z"; " "));'

# The first thing in them that people write in another dialect, and that would match nothing here.
doubt='
  def quote: "[\"\u0027\u0060\u2018-\u201f\u00ab\u00bb]";
  def tokens: [scan("\\\\.|\\[\\^?\\]?(?:\\[:[a-z]+:\\]|\\\\.|[^\\]\\\\])*\\]|\\{\\d+(?:,\\d*)?\\}|\\(\\?(?:[a-zA-Z-]*[:)]|<?[!=]|>|<\\w+>)|.")];
  def of_escape: .[1:] as $char
    | if test("\\A\\\\[|+?(){}]\\z") then
        "\(.) is an operator in some dialects and a character in others. Write \($char) for the operator, [\($char)] for the character."
      elif test("\\A\\\\[bBdDsSwWt!-/:-@\\[-_{-~ ]\\z") and (test("[<>\u0027\u0060]") | not) then empty
      else "\(.) is not understood." end;
  def of_brackets:
    if test("\\A\\[\\^?:.*:\\]\\z") then "\(.) needs a second pair of brackets: [\(.)]."
    else gsub("\\[:(?:alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit):\\]"; "")
      | first(
          (scan("\\\\[^dDsSwWt\\W]") | "\(.) within brackets is not understood."),
          (gsub("\\\\."; "") | select(.[1:] | test("\\[")) | "[ within brackets is not clear. Write \\[ for the character.")
        ) end;
  def of_token($before; $after):
    if startswith("\\") then of_escape
    elif length > 1 and startswith("[") then of_brackets
    elif . == "," then "A comma is part of an expression. Write | for or, [,] for the character."
    elif . == "$" and ($after | test("\\A[|)]\\z") | not) then "$ is the end of a line, and more follows it. Write \\$ for the character."
    elif . == "^" and ($before | test("\\A(?:[|]\\z|\\()") | not) then "^ is the start of a line, and more precedes it. Write \\^ for the character."
    else empty end;
  def doubts:
    (select(test("\ufffd")) | "It is not text in UTF-8."),
    (select(gsub("[ \t]"; "") | test("\\s")) | "White space in it is neither a blank nor a tab. Write \\s."),
    (select(test("\\(\\?[a-zA-Z]*x")) | "(?x) would ignore blanks. Leave it out."),
    (select(test("\\A\\s*r?\(quote).*\(quote)\\s*\\z|(?:\\A|[|(])\\s*\(quote)[^|()]*\(quote)\\s*(?:\\z|[|)])"))
      | "Quotes are part of an expression. Leave them out, or write them in brackets."),
    (select(test("\\A\\s*(?:m|qr)?/.*/(?!.*(.).*\\1)[dgimsuvxy]*\\s*\\z"))
      | "Slashes around it are part of an expression. Leave them out, with (?i) before it for /i, or write [/] for the first."),
    (select(test(":\\*\\)")) | "Name(text:*) is no regular expression. Write only the text."),
    (tokens as $all | range($all | length) as $at | $all[$at]
      | of_token(if $at == 0 then "|" else $all[$at - 1] end; $all[$at + 1] // "|")),
    (. as $expression | try ("" | test($expression) | empty)
      catch "It is no regular expression (\(split(" is not a valid regex: ")[-1] | ltrimstr("Regex failure: ")))." );
  expressions | if . == [] then "It is blank." else first(.[] | doubts) end'

# Ends if a program is missing, or if ASK_BEFORE is not clear.
check_surroundings() {
  for program in curl jq; do
    command -v "$program" >/dev/null 2>&1 || refuse "$program is needed, and is not installed."
  done
  [ -n "${ASK_BEFORE:-}" ] || return 0
  unclear=`jq -nr "$expressions$doubt"` || refuse 'ASK_BEFORE cannot be read.'
  [ -z "$unclear" ] || refuse "ASK_BEFORE is not clear. $unclear"
}

# Accepts exactly one call, with its input.
input='if length == 1 then .[0].tool_input | objects else empty end'

# Reads the call from its file: printf is a program in some shells, and takes no long text. What people are asked about is
# the command as text, then the rest of the input.
read_call() {
  jq -rs "$input |
    if .command | type == \"string\" and . != \"\" then .command, (del(.command) | select(. != {}) | \"\", tojson)
    else tojson end" "$folder/call" >"$folder/change" && [ -s "$folder/change" ] || refuse 'The call could not be read.'
}

# Whether people are asked about the call that was read.
is_asked() {
  [ -n "${ASK_BEFORE:-}" ] || return 0
  # Each string, and all strings of a list or an object joined. Each by line, and with its lines joined: an agent can
  # write "git push" on two lines.
  jq -rs "$input |
    .. | [.. | strings] | select(. != []) | join(\" \") | ., (split(\"\\n\") | join(\" \"))" \
    "$folder/call" >"$folder/strings" &&
    tr -s ' \t\r\\' '    ' <"$folder/strings" >"$folder/spaced" || refuse 'The call could not be read.'
  # Each line also between blanks, for an expression that begins or ends with one.
  case `jq -nrR "$expressions"'expressions as $all
    | if any(inputs | ., " \(.) "; . as $line | any($all[]; . as $each | $line | test($each))) then "asked" else "free" end
    ' "$folder/change" "$folder/strings" "$folder/spaced"` in
  asked) ;;
  free) return 1 ;;
  *) refuse 'ASK_BEFORE could not be compared with the call.' ;;
  esac
}

if [ $# -gt 0 ]; then
  [ $# -eq 2 ] && [ "$1" = --check ] || refuse 'Usage: ask-before.sh [--check COMMAND]'
  check_surroundings
  folder=`mktemp -d` && [ -n "$folder" ] || refuse 'There is no room for a file.'
  trap 'rm -rf "$folder"' EXIT
  jq -n --arg command "$2" '{ tool_input: { command: $command } }' >"$folder/call"
  read_call
  if is_asked; then
    echo 'It would ask about this command.'
    exit 0
  fi
  echo 'It would not ask about this command: ASK_BEFORE does not match it.'
  exit 1
fi

# Sends it again: a shell can lose a signal that arrives just before it waits.
terminate() {
  for _ in 1 2 3; do
    kill -s "${2:-TERM}" "$1" 2>/dev/null || return
    sleep 1
  done
}

# Without what shells print about a job that was killed. zsh prints nothing, and would run a trap with this redirection.
hush() { if [ -n "${ZSH_VERSION:-}" ]; then "$@"; else "$@" 2>/dev/null; fi; }

# Runs the function $2 in the background and leaves its exit code in `code`, or `late` after $1 seconds. The deadline is
# the `sleep`; the function interrupts it with USR1 when it ends. No network, file or clock can delay it.
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
  hush wait "$nap"
  code=$?
  signal=`kill -l "$code" 2>/dev/null`
  if [ "$code" -gt 128 ] && [ "$signal" = USR1 ]; then
    hush wait "$working"
    code=$? working=''
  else
    code=late
  fi
  nap=''
}

# A signal can arrive before `working` has the process that was started last.
wake() {
  [ -n "$nap" ] || return
  [ "$!" = "$nap" ] || working=$!
  kill "$nap" 2>/dev/null
}

# Ends what still runs. KILL: `answer` can hang, and keeps stderr open, which the agent may read to its end.
approved=''
finish() {
  wake
  if [ -n "$working" ]; then
    (kill "$working" && sleep 1 && kill "$working" && sleep 1 && kill -s KILL "$working") </dev/null >/dev/null 2>&1 &
  fi
  # However the shell ended: agents let the call through after any other code.
  [ -n "$approved" ] || exit 2
}
# Once a trap is set, backquotes: while bash 5.2 reads a $(…), it cannot run a trap, and would lose the signal or end.
trap finish EXIT
trap 'refuse "The hook was ended before there was a decision, so this call is not approved. $next"' HUP INT QUIT TERM
# An agent that no longer reads still gets the exit code.
trap '' PIPE

limit_s=${TIMEOUT_S:-540}
case $limit_s in
*[!0-9]* | 0* | ????????*) limit_s=0 ;;
esac
[ "$limit_s" -ge 10 ] || refuse 'TIMEOUT_S must be a whole number of seconds, 10 or more. This call is not approved.'
# In this order: a request for this call only times out, `answer` stops waiting for it, the hook stops waiting for
# `answer`, and the rest is for cleaning up.
ask_s=$((limit_s - 8)) wait_s=$((limit_s - 6)) answer_s=$((limit_s - 4))

# The exit code is 0 if the call can run, otherwise that of ask.sh. Any of its commands can hang.
decide() {
  exec 2>"$folder/said" || exit 5
  check_surroundings
  printf 'The call was not read to its end.\n' >&2
  cat >"$folder/call"
  read_call
  is_asked || exit 0
  title="An agent wants to use $(jq -r '.tool_name // "a tool"' "$folder/call")"
  message="On $(hostname), in $(pwd)" here=$(dirname "$0")
  requester=${GATEPOST_REQUESTED_BY:-}
  # git accepts anything as an address.
  [ -n "$requester" ] || requester=`HOME=$home git config user.email 2>/dev/null </dev/null |
    jq -Rr 'select(test("^[A-Za-z0-9._+-]+@[A-Za-z0-9-]+([.][A-Za-z0-9-]+)*$"))'`
  asked='' key='' asks=0
  trap 'trap "" TERM USR1; terminate "$asked"; exit 130' TERM
  trap 'trap "" TERM USR1; terminate "$asked" USR1; exit 130' USR1
  session=`jq -r '.session_id // .conversation_id | strings' "$folder/call"`
  [ -z "$session" ] || key=`{ printf '%s\n' "$session" "$title" "$message" && cat "$folder/change"; } |
    { sha256sum || shasum -a 256; } 2>/dev/null | cut -c 1-64`
  [ -z "$key" ] || go_on
  # A request for this call only times out when the hook stops waiting for it.
  now=`date +%s`
  passed_s=$((now - started_at))
  [ "$passed_s" -ge 0 ] || passed_s=0
  [ "$passed_s" -lt "$ask_s" ] || refuse 'The call was read too late.'
  ask '' "$((ask_s - passed_s))"
  exit "$code"
}

# Asks with KEY $1 and TIMEOUT_S $2.
ask() {
  asks=$((asks + 1)) state=$folder/state-$asks
  KEY=$1 TIMEOUT_S=$2 GATEPOST_REQUESTED_BY=$requester RESULT_FILE=$state WITHDRAW=always \
    TITLE=$title MESSAGE=$message CHANGE_FILE=$folder/change \
    sh "$here/../curl/ask.sh" >"$folder/approved" 2>"$folder/said" &
  finished
  # The code 0 is not enough: a truncated copy of ask.sh can end with it.
  [ "$code" -ne 0 ] || [ -s "$folder/approved" ] || refuse 'ask.sh ended without a decision.'
}

# The first call that claims the approval can run.
claim() {
  ID='' TITLE='' RESULT_FILE=$state CLAIM=$run TEXT='The call was let through. How it ends is not reported.' LINK='' \
    sh "$here/../curl/ask.sh" report running 2>>"$folder/said" &
  finished
}

# Sets `code` to the exit code of the last background command. A shell handles no signals while it waits for a
# foreground command.
finished() {
  asked=$!
  wait "$asked"
  code=$?
}

# Resumes the request of the same call, unless it has ended or was used. After 20 of them, the request is for this call
# only.
go_on() {
  run=`od -An -N16 -tx1 /dev/urandom | tr -d ' \n'`
  [ -n "$run" ] && [ -n "$started_at" ] || return
  printf 'yes' >"$folder/resumable"
  for count in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    ask "agent/$key/$count" "$hour_s"
    case $code in
    # Approved by whoever asked: the next request is asked.
    2) jq -e .ownApproval "$state" >/dev/null 2>&1 && continue ;;
    0 | 1) is_decided_since "$((started_at - hour_s))" || continue ;;
    3 | 4) is_decided_since "$((started_at + 1))" || continue ;;
    esac
    [ "$code" -eq 0 ] || exit "$code"
    claim
    # Another call claimed it first.
    [ "$code" -ne 0 ] && grep -q '(409)' "$folder/said" || exit "$code"
  done
  printf '' >"$folder/resumable"
}

# The time is in seconds since 1970. False once a call has claimed the approval.
is_decided_since() {
  jq -e --argjson since "$1" '.result == null and
    (.outcome.resolvedAt // .withdrawnAt | sub("\\.[0-9]+"; "") | fromdate) >= $since' "$state" >/dev/null 2>&1
}

# Ends what `answer` started, and removes its files, in the background: both can hang.
leave() {
  wake
  (
    [ -z "$working" ] || terminate "$working"
    [ -z "$folder" ] || rm -rf "$folder"
  ) </dev/null >/dev/null 2>&1 &
}

# The exit code is 0 if the call can run; otherwise it says why not. Its children do not hold the agent's stdout and
# stderr: an agent that reads them to their end would wait for a child that hangs.
answer() {
  folder=''
  trap 'trap "" TERM; leave; exit 2' TERM
  started_at=`exec 2>/dev/null; date +%s`
  folder=`exec 2>/dev/null; mktemp -d` && [ -n "$folder" ] || refuse "There is no room for a file, so this call is not approved. $next"
  within "$wait_s" decide
  [ ! -s "$folder/resumable" ] || late=$again
  if [ "$code" = late ]; then
    # Keeps the request open for the same call, or withdraws it in case Gatepost's clock still allows a decision.
    [ "$late" = "$again" ] && kill -s USR1 "$working" 2>/dev/null || kill "$working" 2>/dev/null
    sleep 1 </dev/null >/dev/null 2>&1
  fi
  last='' asked='' requester=''
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
    'Asked in '*) requester=$line; continue ;;
    'Asked: '* | 'To resume: '*) asked=yes; continue ;;
    esac
    last=${line%' Trying again.'} last=${last%' Ask again with another KEY.'}
  done 2>/dev/null <"$folder/said"
  leave
  [ -z "$requester" ] || printf '%s\n' "$requester" >&2
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
