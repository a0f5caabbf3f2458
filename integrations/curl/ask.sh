#!/bin/sh
# Asks people in Slack for an approval and waits for it. Needs only curl and jq; Gatepost need not be installed.
# `ask.sh report running`, `succeeded` or `failed` reports the result of the approved work.
#
#   GATEPOST_URL, GATEPOST_INTAKE_SECRET   Gatepost's address, and the secret of your source, which must
#                                          use auth: bearer: this script cannot sign
#   GATEPOST_ID_TOKEN                      instead of the secret, of a source with auth: oidc: a variable or a file with
#                                          the job's identity token, or the token itself. In GitHub Actions, with
#                                          permissions: { id-token: write }, neither of the two is needed;
#                                          GATEPOST_AUDIENCE is the token's audience, default gatepost
#   SOURCE                                 optional: your source, if the token matches several
#   TITLE                                  what it is about
#   KEY                                    your own name for the request; the same name resumes it. Without one,
#                                          the request is withdrawn when the script is interrupted
#   SUPERSEDES                             optional: withdraws older requests of this name that nobody decided
#   MESSAGE, LINK                          optional; empty means not set
#   CHANGE_FILE                            optional, but not empty: a file that contains exactly what is approved:
#                                          text in UTF-8, up to 40,000 characters. An empty or longer one is
#                                          refused: this script does not cut it
#   ROUTE                                  optional, but not empty: without it the first of your source
#   REVIEWERS, QUORUM                      optional, but not empty: e-mail addresses or Slack ids, separated by commas,
#                                          of the people and groups who alone are asked, and how many approvals are
#                                          needed
#   FIELDS                                 optional: a JSON object, such as {"Version":"4.2"}
#   REQUESTED_BY                           optional: who asks: an e-mail address, a Slack user id, a login such as
#                                          github:octocat, a name, or none. Without it GATEPOST_REQUESTED_BY, in the
#                                          same forms; without both it is whoever started the run, by the variables
#                                          of the CI system that `starter` lists
#   TIMEOUT_S                              optional: seconds until it times out, default 86400
#   RESULT_FILE                            optional: where Gatepost's last answer is written, as JSON
#   WITHDRAW                               optional: "always" withdraws a request that has a KEY, too, when it is
#                                          interrupted or nobody can be asked
#
# A report reads these:
#   ID                                     of the approval; without it the one in RESULT_FILE
#   TEXT, LINK                             optional: up to 300 characters, and an address
#   CLAIM                                  optional: a name of this run; no other run can then report running
#
# Exit codes: 0 approved, 1 rejected, 2 wrong usage or a conflict, 3 timed out, 4 withdrawn,
# 5 nobody could be asked, or Gatepost was not reached in time, 130 interrupted (by USR1 the request stays open).
# Never 0 for anything but an approval.
# A report ends with 0 once Gatepost has it, 2 if it is refused, 5 and 130 as above.
# For `zsh ask.sh`; as sh, zsh does this itself. -R: with its own NOTIFY, zsh 5.9 crashes if a background process ends
# during the trap of EXIT.
[ -z "${ZSH_VERSION:-}" ] || emulate -R sh
set -u

# However the shell ends: 0 and 1 are only for decisions. Some shells end with the code of this function's last command.
ending=5 folder='' curl_pid=''
finish() {
  # KILL: a child that is about to become curl may miss any other signal, and would outlive this script.
  [ -z "$curl_pid" ] || kill -s KILL "$curl_pid" 2>/dev/null
  [ -z "$folder" ] || rm -rf "$folder"
  exit "$ending"
}
# Once a trap is set, backquotes: while bash 5.2 reads a $(…), it cannot run a trap, and would lose the signal or end.
trap finish EXIT
quit() { ending=$1; exit "$1"; }
stop() { printf '%s\n' "$2" >&2; quit "$1"; }

reporting=''
if [ $# -gt 0 ]; then
  reporting=${2:-} CHANGE_FILE='' FIELDS='' REVIEWERS='' QUORUM='' TIMEOUT_S=0 REQUESTED_BY=none
  [ "$1" = report ] && [ -n "$reporting" ] || stop 2 'Usage: ask.sh [report running|succeeded|failed]'
fi
for program in curl jq; do
  command -v "$program" >/dev/null 2>&1 || stop 2 "$program is needed, and is not installed."
done
# Neither reads files of the user: jq would take functions from ~/.jq.
HOME=/dev/null
export HOME
# The command to run on a signal; empty: none.
interrupted='quit 130'
handled='HUP INT QUIT TERM'
if [ -n "${ZSH_VERSION:-}" ]; then
  # Other shells set no trap for a signal that was ignored when they started, as by nohup.
  handled=QUIT
  for signal in HUP INT TERM; do
    sh -c 'kill -s "$1" "$$"' sh "$signal" 2>/dev/null || handled="$handled $signal"
  done
fi
trap "$interrupted" $handled
trap 'quit 130' USR1

# A value from a file or a vault may end with a line break. No message contains a value.
read_settings='
  def trim: gsub("\\A\\s+|\\s+\\z"; "");
  def is_quoted: "[\"\u0027\u0060\u2018-\u201f]" as $quote | test("\\A\($quote)|\($quote)\\z");
  def is_unfilled: test("\\$[{(].*[})]|\\{\\{.*\\}\\}|\\A(?:\\$\\w+|<.*>|%\\w+%|\\*+|\u2026)\\z");
  def fault(more): if . == "" then "must be set."
    elif is_quoted then "is in quotes. Leave them out."
    elif is_unfilled then "is a placeholder. Nothing has replaced it with the value."
    else more end;
  def url_fault: if test("\\Ahttps?://[!-~]+\\z"; "i") and (test("[\"\\\\<>{}?#]") | not) then empty
    else "must be an address that begins with https:// or http://." end;
  def secret_fault: if startswith("whsec_") then
      "begins with whsec_: such a secret signs, which this script cannot. Use one of a source with auth: bearer, or gatepost ask."
    elif test("\\A(?:authorization: *)?bearer[: ]"; "i") then "begins with Bearer. Leave that out."
    elif test("\\A[!-~]+\\z") then empty
    else "must contain only ASCII characters and no white space." end;
  def is_token: test("\\A[\\w-]+\\.[\\w-]+\\.[\\w-]*\\z");
  # Where the identity token is: itself, a variable, a file, or where GitHub gives one.
  def place($named): if $named == "" then empty
    elif $named | is_token then "GATEPOST_ID_TOKEN"
    elif $named | test("[/\\\\]") then "file"
    elif $named | test("\\A[A-Za-z_][A-Za-z0-9_]*\\z") | not then
      "GATEPOST_ID_TOKEN must name a variable or a file that holds the token."
    elif ($ENV[$named] // "" | trim) == "" then "GATEPOST_ID_TOKEN names a variable that is not set."
    elif $ENV[$named] | trim | is_token then $named
    else "GATEPOST_ID_TOKEN names a variable that does not hold an identity token." end;
  ($ENV.GATEPOST_URL // "" | trim) as $url
  | ($ENV.GATEPOST_INTAKE_SECRET // "" | split(",")[0] // "" | trim) as $secret
  | ($ENV.ACTIONS_ID_TOKEN_REQUEST_URL // "") as $github
  | first(
      ($secret | select(. != "") | "secret"),
      place($ENV.GATEPOST_ID_TOKEN // "" | trim),
      ($ENV.ACTIONS_ID_TOKEN_REQUEST_TOKEN // "" | select(. != "" and $github != "") | "github"),
      "secret"
    ) as $place
  | first(
      ($url | fault(url_fault) | "GATEPOST_URL \(.)"),
      ($place | select(test(" "))),
      ($secret | select($place == "secret") | fault(secret_fault) | "GATEPOST_INTAKE_SECRET \(.)"),
      "\($place) \($url | rtrimstr("/"))/v1/approvals"
    )
'
settings=`jq -nr "$read_settings"` && [ -n "$settings" ] || stop 2 'jq cannot read the settings.'
place=${settings%% *} base=${settings#* }
case $base in
http*) ;;
*) stop 2 "$settings" ;;
esac
if [ -z "$reporting" ]; then
  [ -n "${TITLE:-}" ] || stop 2 'TITLE must be set.'
  # A variable that was meant to be filled: as if it were not set, other people could decide, or about less.
  [ -n "${REVIEWERS-none}" ] || stop 2 'REVIEWERS is empty. Unset it to ask all reviewers of the route.'
  [ -n "${ROUTE-none}" ] || stop 2 'ROUTE is empty. Unset it to ask on the first route of your source.'
  [ -n "${CHANGE_FILE-none}" ] || stop 2 'CHANGE_FILE is empty. If there is nothing to show, unset it.'
  case ${QUORUM-1} in
  '' | *[!0-9]*) stop 2 'QUORUM must be a whole number. Unset it to need as many approvals as the route does.' ;;
  esac
fi

timeout_s=${TIMEOUT_S:-86400}
case $timeout_s in
*[!0-9]* | 0?*) stop 2 'TIMEOUT_S must be a whole number of seconds.' ;;
esac
key=${KEY:-}
# 32 hexadecimal digits.
[ -n "$key" ] || key=ask-`od -An -N16 -tx1 /dev/urandom | tr -d ' \n'`
now=`date +%s`
give_up_at=$((now + timeout_s + 60))

folder=`mktemp -d` && [ -n "$folder" ] || stop 5 'There is no room for a file.'
printf '' >"$folder/change"
if [ -n "${CHANGE_FILE:-}" ]; then
  cat "$CHANGE_FILE" >"$folder/change" || stop 2 'CHANGE_FILE cannot be read.'
  # If it were not text, Slack would show something other than what is approved.
  { jq -nj --rawfile change "$folder/change" '$change' | cmp -s - "$folder/change" &&
    tr -d '\000' <"$folder/change" | cmp -s - "$folder/change"; } ||
    stop 2 'CHANGE_FILE is not text in UTF-8. Convert it, or give a description of what is in it.'
  jq -en --rawfile change "$folder/change" '$change | ltrimstr("\ufeff") | test("\\S")' >/dev/null ||
    stop 2 'The file that CHANGE_FILE names is empty. If there is nothing to show, unset it.'
fi
# Who asks (`by`), and the line about it; or what is wrong with what was given. The table of CI systems is that of
# ask/starters.ts.
jq -n --arg given "${REQUESTED_BY:-}" '
  def set: . // "" | gsub("[\\p{Cc}\\s]+"; " ") | gsub("\\A | \\z"; "") | select(. != "");
  def is_email: test("\\A[^\\s@()<>,;:\\\\\"]+@[^\\s@()<>,;:\\\\\".]+(\\.[^\\s@()<>,;:\\\\\".]+)*\\z");
  def is_login: test("\\A[^\\p{C}\\s]{1,100}\\z");
  def email: if is_email then { email: . } else { name: . } end;
  def login($at): if is_login then { login: ., at: $at } else { name: . } end;
  # Nobody started the run of a schedule, unless somebody ran it again, or started this job by hand.
  def schedule($at; $again): [$again | set] as [$times] | select($times == null or $times == "1")
    | { login: "[schedule]", at: $at };
  def system: capture("\\A(?:[a-z]+://)?(?:[^@/]*@)?(?<host>[^:/]*)") as { $host }
    | { "github.com": "github", "bitbucket.org": "bitbucket" }[$host // ""] // "circleci";
  # Argo writes .at. for @, keeps the last 63 characters, and then drops a sign at their beginning.
  def creator: . as $all
    | [range(length) | select($all[.:] | startswith(".at.")) | "\($all[:.])@\($all[. + 4:])"]
    | map(select(is_email))
    | if length == 1 and ($all | length) < 62 then { email: .[0] } else { name: $all } end;
  def starter: first(
    ($ENV.GITHUB_EVENT_NAME | select(. == "schedule") | schedule("github"; $ENV.GITHUB_RUN_ATTEMPT)),
    ($ENV.GITHUB_TRIGGERING_ACTOR | set | login("github")),
    ($ENV.CI_PIPELINE_SOURCE | select(. == "schedule") | schedule("gitlab"; $ENV.CI_JOB_MANUAL)),
    ($ENV.GITLAB_USER_EMAIL | set | email),
    ($ENV.BUILDKITE_SOURCE | select(. == "schedule") | schedule("buildkite"; $ENV.BUILDKITE_REBUILT_FROM_BUILD_ID)),
    ($ENV.BUILDKITE_BUILD_CREATOR_EMAIL | set | email),
    ($ENV.BUILD_USER_ID | select(. == "timer") | schedule("jenkins"; null)),
    ($ENV.BUILD_USER_ID | set | login("jenkins")),
    ($ENV.CIRCLE_USERNAME | set | login($ENV.CIRCLE_REPOSITORY_URL // "" | system)),
    # In brackets: jq 1.6 would take the end of `first` for an error that `?` ignores.
    ($ENV.ARGO_WORKFLOW_LABELS | set | [fromjson?][0] | objects["workflows.argoproj.io/creator-email"]
      | strings | set | creator),
    null
  );
  def read:
    # A short id without a digit is a name in capitals.
    if test("\\A[UW][A-Z0-9]{4,31}\\z") and (length > 8 or test("[0-9]")) then { slackUser: . }
    elif test("\\A[a-z0-9][a-z0-9.-]{0,31}:(?:[^ ]|\\z)"; "i") and (test("\\A(?:mailto|smtp):"; "i") | not) then
      capture("\\A(?<at>[^:]+):(?<login>.*)\\z") | select(.login | is_login) | { login, at: (.at | ascii_downcase) }
    elif test("[@\ufe6b\uff20]") then select(is_email or test("\\Amailto:|<[^<>]*>\\z"; "i")) | { email: . }
    else { name: . } end;
  def text:
    { bitbucket: "Bitbucket", buildkite: "Buildkite", circleci: "CircleCI", github: "GitHub",
      gitlab: "GitLab", jenkins: "Jenkins" } as $names
    | if .login then (if .login == "[schedule]" then "a schedule" else .login end) + " (\($names[.at] // .at))"
    else .slackUser // .email // .name end;
  def asker: if . == null then {} else { by: ., said: "Asked in the name of \(text)" } end;
  def forms: "an e-mail address, a Slack user id, a login such as github:octocat, a name, or none";
  def given($in): set | if . == "none" then { said: "Asked in nobody\u0027s name: \($in) is none" }
    else first(read | asker), { fault: "\($in) must be \(forms)." } end;
  first(
    ($given | given("REQUESTED_BY")),
    ($ENV.GATEPOST_REQUESTED_BY | given("GATEPOST_REQUESTED_BY")),
    (starter | asker)
  )
' >"$folder/asker" || stop 2 'jq cannot say who asks.'
fault=`jq -r '.fault // empty' "$folder/asker"`
[ -z "$fault" ] || stop 2 "$fault"

fields=${FIELDS:-}
jq -n --arg key "$key" --arg title "${TITLE:-}" --arg message "${MESSAGE:-}" --arg link "${LINK:-}" \
  --arg route "${ROUTE:-}" --arg supersedes "${SUPERSEDES:-}" --argjson fields "${fields:-null}" --argjson timeout "$timeout_s" \
  --arg reviewers "${REVIEWERS:-}" --arg quorum "${QUORUM:-}" \
  --rawfile change "$folder/change" --slurpfile asker "$folder/asker" '
    { key: $key, title: $title, message: $message, link: $link, route: $route,
      supersedes: $supersedes,
      change: ($change | ltrimstr("\ufeff")) }
    | with_entries(select(.value != ""))
    | . + (if $fields == null then {} else { fields: $fields } end)
    | . + (if $reviewers == "" then {} else
        ($reviewers | split(",") | map(gsub("\\A\\s+|\\s+\\z"; "")))
        | map(select(contains("@") | not)) as $ids
        | { users: ($ids | map(select(startswith("S") | not))), groups: ($ids | map(select(startswith("S")))),
            emails: map(select(contains("@"))) }
        | { reviewers: with_entries(select(.value != [])) } end)
    | . + (if $quorum == "" then {} else { quorum: ($quorum | tonumber) } end)
    | . + ($asker[0] | if .by then { requestedBy: .by } else {} end)
    | . + { expiresAt: (now + $timeout | floor | todate) }
  ' >"$folder/request" || stop 2 'FIELDS must be an object in JSON.'

# Each prints the header of a request, for curl. What is secret in it is no argument, which other users of the machine
# could read.
as_header='gsub("\\A\\s+|\\s+\\z"; "") | "header = \("Authorization: Bearer \(.)" | tojson)"'
secret_header() { jq -nr "\$ENV.GATEPOST_INTAKE_SECRET | split(\",\")[0] | $as_header"; }
variable_header() { jq -nr --arg name "$place" "\$ENV[\$name] | $as_header"; }
file_header() { jq -nr --rawfile token "$GATEPOST_ID_TOKEN" "\$token | $as_header"; }
asking_github_header() { jq -nr "\$ENV.ACTIONS_ID_TOKEN_REQUEST_TOKEN | $as_header"; }
given_header() { jq -nr --rawfile token "$folder/token" "\$token | $as_header"; }
key_header() { jq -nr --rawfile key "$folder/key" "\$key | $as_header"; }

# With a source's secret, the key to this one request, or the job's identity token: in GitHub Actions it may have ended
# since the last call.
call() {
  [ -z "${SOURCE:-}" ] || set -- --header "Gatepost-Source: $SOURCE" "$@"
  if [ -n "$id" ] && [ -s "$folder/key" ]; then
    send key_header "$@"
    return
  fi
  case $place in
  secret) send secret_header "$@" ;;
  file)
    [ -r "$GATEPOST_ID_TOKEN" ] || [ -n "$leaving" ] || stop 2 'GATEPOST_ID_TOKEN names a file that cannot be read.'
    send file_header "$@"
    ;;
  github)
    token_url=`jq -nr '$ENV.ACTIONS_ID_TOKEN_REQUEST_URL
      | "\(.)\(if test("[?]") then "&" else "?" end)audience=\($ENV.GATEPOST_AUDIENCE // "" | if . == "" then "gatepost" else . end | @uri)"'`
    send asking_github_header "$token_url"
    case $code in
    200) jq -j '.value // empty' "$folder/answer" >"$folder/token" 2>/dev/null ;;
    408 | 429) ;;
    4??) [ -n "$leaving" ] || stop 2 "GitHub gave no identity token ($code)." ;;
    esac
    printf '' >"$folder/answer"
    [ "$code" = 200 ] && send given_header "$@" || code=000
    rm -f "$folder/token"
    ;;
  *) send variable_header "$@" ;;
  esac
}

# Sets `code` to the status (000: none), and `target` to where a redirect leads. Writes the
# body to a file. In the background, because a shell handles no signals while it waits for a foreground command. -q: a
# ~/.curlrc could make curl print the secret, or ask somebody else.
ended='' leaving='' max_time=40
send() {
  header=$1
  shift
  printf '' >"$folder/answer"
  # A signal that arrives before `curl_pid` is set would leave curl running.
  trap 'ended=yes' $handled
  "$header" |
    curl -q --config - --globoff --silent --show-error --max-time "$max_time" --output "$folder/answer" \
      --write-out '%{http_code} %{redirect_url}' "$@" >"$folder/code" 2>"$folder/trouble" &
  curl_pid=$!
  trap "$interrupted" $handled
  [ -z "$ended" ] || eval "$interrupted"
  wait "$curl_pid"
  # A shell can stop waiting because of a signal that it has already handled.
  while kill -0 "$curl_pid" 2>/dev/null; do wait "$curl_pid"; done
  curl_pid=''
  code='' target=''
  IFS=' ' read -r code target <"$folder/code"
  code=${code:-000}
}

# Saves Gatepost's last answer. The answer to a withdrawal has fewer members, so it is merged into the one before about
# the same request.
note_answer() {
  [ -n "${RESULT_FILE:-}" ] || return 0
  [ ! -s "$RESULT_FILE" ] || cp "$RESULT_FILE" "$folder/before"
  { [ -s "$folder/before" ] && jq -s 'if .[0].id == .[1].id and (.[1] | has("final") | not)
      then .[0] * .[1] else .[1] end' "$folder/before" "$folder/answer" || cat "$folder/answer"; } \
    >"$folder/result" 2>/dev/null
  cp "$folder/result" "$RESULT_FILE"
}

read_answer() { jq -r "$1" "$folder/answer" 2>/dev/null; }

# Names and reasons come from Slack: each is made one line.
answer_words='
  def line: gsub("[\\p{Cc}\\s]+"; " ");
  def at: sub("\\.[0-9]+"; "") | fromdate;
  def span: if . < 60 then "\(.) s" elif . < 3600 then "\(. / 60 | floor) min"
    elif . < 172800 then "\(. / 3600 | floor) h" + (. % 3600 / 60 | floor | if . == 0 then "" else " \(.) min" end)
    else "\(. / 86400 | floor) days" end;
  def took: ([.outcome.resolvedAt // empty | at?][0] // now) - (.createdAt | at) | floor
    | if . < 1 then "" else " after \(span)" end;
  def counted($what): if . == 0 then empty elif . == 1 then "1 \($what)" else "\(.) \($what)s" end;
  def listed($ids; $what): [$ids[] as $id | .names[$id] // empty | line][:5] as $named
    | $named[], (($ids | length) - ($named | length) | counted(if $named == [] then $what else "other \($what)" end));
  def asked: .reviewers as $who
    | [listed($who.users // []; "reviewer"), listed($who.groups // []; "group"),
        if $who.channel then "anyone in the channel" else empty end]
    | if . == [] then "a decision" else join(", ") end;
  def person($id): (.names[$id] // "" | line) | if . == "" then $id else "\(.) (\($id))" end;
  def deciders: . as $all | [.outcome.by[] | . as $id | $all | person($id)] | join(", ");
  def withdrawn: if .supersededBy then ": replaced by a newer request"
    elif .withdrawnBy then " by its requester \(person(.withdrawnBy))" else ": nothing was decided" end;
  def reason: [.ballots[]? | select(.action == "reject") | .reason // empty | line] | join("; ");
  def place: ltrimstr("/") | gsub("/(?<at>[0-9]+)"; "[\(.at)]") | gsub("/"; ".")
    | if . == "" then "the request" else . end;
'
say_answer() { jq -r "$answer_words $1" "$folder/answer" 2>/dev/null; }

# Before the next read, if this one was answered early: by a replica that shuts down, or a proxy that drops `wait`.
pause() { [ "$reads" -lt 2 ] || [ "`date +%s`" -ne "$called_at" ] || sleep 1; }

# A line about a state ($1) once, and again after five minutes: many runners end a job that is silent for ten.
said='' said_at=0
say() {
  now=`date +%s`
  [ "$1" != "$said" ] || [ $((now - said_at)) -ge 300 ] || return 0
  printf '%s\n' "$2" >&2
  said=$1 said_at=$now
}

later() {
  case $code in
  000) say "$code" "No connection to Gatepost. Trying again. `head -n 1 "$folder/trouble"`" ;;
  *) say "$code" "No usable answer from Gatepost ($code). Trying again." ;;
  esac
  sleep 2
}

# Once Gatepost has answered, a proxy may temporarily answer in its place.
stranger() {
  [ -z "$found" ] || { later; return; }
  # Not with what may be secret in it.
  target=`jq -nr --arg to "$target" '$to | sub("[?#].*"; "") | sub("//[^/@]*@"; "//")'`
  [ -z "$target" ] || stop 2 "GATEPOST_URL redirects to $target ($code). Set it to where Gatepost itself answers."
  stop 2 "That did not answer like Gatepost ($code). Check GATEPOST_URL."
}

id='' found='' late='' wait=0 shown='' reads=0 reposted_by=0 before='' new_key_hint='' sent=''
# Without what may be secret in it.
address=`jq -nr --arg url "${base%/v1/approvals}" '$url | sub("//[^/@]*@"; "//")'`

post() {
  call --header 'Content-Type: application/json' --data "@$folder/request" "$@"
}

# Sets `sent` unless no connection could be made, so that the request cannot exist.
ask() {
  sent_before=$sent sent=yes
  post "$base"
  case $code`head -n 1 "$folder/trouble"` in
  '000curl: ('[567]')'*) sent=$sent_before ;;
  esac
}

# The key is kept apart from the answer, which is shown to others.
take_key() {
  read_answer '.requestKey // empty' >"$folder/key"
  [ ! -s "$folder/key" ] ||
    { jq 'del(.requestKey)' "$folder/answer" >"$folder/rest" && mv "$folder/rest" "$folder/answer"; }
}

refused() {
  [ "$code $place" != '401 secret' ] ||
    stop 2 "GATEPOST_INTAKE_SECRET is not what $address expects (401). Set it to the secret of your source."
  why=`say_answer '.detail // (.errors | select(.) | map("\(.pointer | place) \(.detail)") | join("; ")) // .title'`
  stop 2 "Gatepost refused the request ($code): $why"
}

leave() { give_up 130 Interrupted.; }

# Ends with code $1. Nobody can resume a request without a KEY, or with WITHDRAW=always: a decision would have no effect.
give_up() {
  interrupted='' ended='' leaving=yes max_time=3 left=''
  trap '' $handled
  [ -z "$curl_pid" ] || kill -s KILL "$curl_pid" 2>/dev/null
  if [ -z "$sent" ]; then
    left=' Nothing was asked.'
  elif [ -z "${KEY:-}" ] || [ "${WITHDRAW:-}" = always ]; then
    # The request may have arrived without an answer: sending the same key again returns its id.
    [ -n "$id" ] || { post "$base" && take_key && id=`read_answer '.id // empty'`; } 2>/dev/null
    [ -z "$id" ] || call --request POST "$base/$id/withdraw" 2>/dev/null
    # A refusal, or a proxy's answer, does not contain the request's status.
    answered=`read_answer '.status // empty'`
    case "$code $answered" in
    2??\ [A-Z]*) note_answer 2>/dev/null ;;
    esac
    case "$answered" in
    WITHDRAWN) left=' The request was withdrawn.' ;;
    *) [ -z "$id" ] || left=' It is not known whether the request was withdrawn.' ;;
    esac
  elif [ -n "$id" ]; then
    left=' The request stays open: run this again with the same KEY to resume it.'
  fi
  printf '%s%s\n' "$2" "$left" >&2 2>/dev/null || :
  quit "$1"
}

timed_out() {
  when=${before:-`say_answer took`}
  stop 3 "Timed out$when: nobody decided in time. Asked: `say_answer asked`.$new_key_hint"
}

if [ -n "$reporting" ]; then
  of=${ID:-`jq -r '.id // empty' "${RESULT_FILE:-/dev/null}" 2>/dev/null`}
  [ -n "$of" ] || stop 2 'ID must be set.'
  # It becomes part of the address.
  jq -en --arg id "$of" '$id | test("\\A[0-9]{1,2}-[0-9A-Za-z_-]{16}\\z")' >/dev/null ||
    stop 2 'ID, or the id in RESULT_FILE, is not the id of an approval, which is like 0-Ab3dEf6hIj9kLm2n.'
  jq -n --arg state "$reporting" --arg text "${TEXT:-}" --arg link "${LINK:-}" --arg claim "${CLAIM:-}" '
    { state: $state, text: $text[0:300], link: $link, claim: (if $state == "running" then $claim else "" end) }
    | with_entries(select(.value != ""))
  ' >"$folder/request"
else
  [ -z "${RESULT_FILE:-}" ] || printf '' >"$RESULT_FILE" || stop 2 'RESULT_FILE cannot be written.'
  interrupted=leave
  trap leave $handled
  jq -r '.said // empty' "$folder/asker" >&2
fi
while :; do
  if [ -n "$reporting" ]; then
    post "$base/$of/result"
  elif [ -z "$id" ]; then
    ask
  else
    called_at=`date +%s`
    call "$base/$id?wait=$wait"
  fi
  answered=`read_answer '.status // empty'`
  if [ -n "$reporting" ]; then
    case "$code $answered `read_answer '.id // empty'`" in
    "200 APPROVED $of") quit 0 ;;
    # A proxy's answer: nothing was reported, and nothing claimed.
    2*) answered='' found=yes ;;
    esac
  fi
  case "$code $answered" in
  20[02]\ [A-Z]*)
    [ -n "$id" ] || take_key
    note_answer || give_up 2 'RESULT_FILE cannot be written.'
    if [ -z "$id" ]; then
      id=`read_answer '.id'` found=yes
      case "$answered" in
      APPROVED) before=' before this run' ;;
      REJECTED | TIMED_OUT | WITHDRAWN) before=' before this run' new_key_hint=' Ask again with another KEY.' ;;
      esac
      # Slack may now accept what it refused in an earlier run.
      if [ "$answered" = BLOCKED ]; then
        call --request POST "$base/$id/check"
        now=`date +%s`
        reposted_by=$((now + 10))
      fi
      continue
    fi
    where=`read_answer '.permalink // empty'`
    # The line says where the message is: it waits a moment for that.
    reads=$((reads + 1))
    if [ -z "$before$shown" ] && { [ -n "$where" ] || [ "$reads" -gt 2 ]; }; then
      shown=yes
      jq -r --slurpfile request "$folder/request" '
        def day: strflocaltime("%Y-%m-%d");
        def zone: if strflocaltime("%z") == "+0000" then " UTC" else "" end;
        ($request[0].expiresAt | fromdate) as $at
        | ($at | strflocaltime("%H:%M") + zone) as $time
        | (if ($at | day) == (now | day) then $time elif ($at | day) == (now + 86400 | day) then "tomorrow \($time)"
            else "\($at | day) \($time)" end) as $until
        | ["\"\($request[0].title | gsub("[\\p{Cc}\\s]+"; " ") | .[:80])\"", .shortId, "until \($until)", .permalink // empty]
        | "Asked: \(join(" · "))"
      ' "$folder/answer" >&2
      [ -n "${KEY:-}" ] || printf 'To resume: KEY=%s\n' "$key" >&2
    fi
    # Not longer: a shell may handle a signal only after the call has ended.
    [ -n "$where" ] && wait=10 || wait=2
    case "$answered" in
    APPROVED | REJECTED)
      [ -z "`read_answer '.ownApproval // empty'`" ] ||
        stop 2 "Approved by the person who asks for it, so it opens nothing.${before:+ Ask again with another KEY.}"
      by=`say_answer deciders`
      when=${before:-`say_answer took`}
      if [ "$answered" = APPROVED ]; then
        printf 'Approved by %s%s.\n' "$by" "$when"
        quit 0
      fi
      why=`say_answer 'reason | if . == "" then "." else ": \(.)\(if test("[.!?…]$") then "" else "." end)" end'`
      stop 1 "Rejected by $by$when$why$new_key_hint"
      ;;
    TIMED_OUT) timed_out ;;
    WITHDRAWN)
      [ -z "$late" ] || timed_out
      why=`say_answer withdrawn`
      stop 4 "Withdrawn$before$why.$new_key_hint"
      ;;
    BLOCKED)
      why=`read_answer '.blocked // empty'`
      [ "$why" != only-requester ] || give_up 5 'Only its requester can decide it: nobody else is asked.'
      why=`read_answer '.posting.reason'`
      [ `date +%s` -lt "$reposted_by" ] || give_up 5 "Slack refuses the message ($why): nobody is asked."
      sleep 1
      ;;
    UNKNOWN)
      say UNKNOWN 'The service has not given a final status yet. Waiting.'
      pause
      ;;
    *)
      waiting=`say_answer '"Waiting for \(asked)\(if .approvals > 0 then " · \(.approvals) approved" else "" end)"'`
      [ -z "$shown" ] || say "$waiting" "$waiting"
      pause
      ;;
    esac
    ;;
  000* | 408* | 429* | 5??*) later ;;
  404\ 404)
    [ -z "$reporting" ] || refused
    [ -n "$id" ] && id='' || stranger
    ;;
  401\ 401)
    # Gatepost may have other keys by now: the next call brings a token again.
    [ -n "$id" ] && [ -s "$folder/key" ] || refused
    printf '' >"$folder/key"
    later
    ;;
  4??\ 4??) refused ;;
  *) stranger ;;
  esac
  now=`date +%s`
  [ "$now" -ge "$give_up_at" ] || continue
  [ -n "$reporting$sent" ] || stop 5 "Nothing was asked. Gatepost cannot be reached at $address."
  case "$code $answered" in
  20[02]\ [A-Z]*) ;;
  *) [ -n "$late" ] && [ -n "$id" ] || stop 5 'Gatepost was not reached in time.' ;;
  esac
  [ -n "$late" ] || late=$((now + 15))
  [ "$now" -lt "$late" ] || stop 5 'Time ran out. It is not known whether the request was withdrawn.'
  # An earlier run may have set a later deadline for the same KEY. What was decided is read next.
  wait=10
  call --request POST "$base/$id/withdraw"
done
