#!/bin/sh
# Sets the outputs of the action from Gatepost's last answer, writes it to the job's summary, and says in an annotation
# why the step did not end with an approval.
set -eu

[ -s "$RESULT_FILE" ] || exit 0

# Names and reasons come from Slack.
words='
  def line: gsub("[\r\n]"; " ");
  def by($all): [.outcome.by[]? | $all.names[.] // .] | join(", ");
  def reason: [.ballots[]? | select(.action == "reject") | .reason // empty] | join("; ");
'

# Each value is one line, so that it cannot set another output.
jq -r "$words"'
  { id, "short-id": .shortId, status, by: ([.outcome.by[]?] | join(",")), reason: reason, permalink, digest }
  | to_entries[] | "\(.key)=\(.value // "" | tostring | line)"
' "$RESULT_FILE" >>"$GITHUB_OUTPUT"

# Markdown and HTML are escaped.
jq -r "$words"'
  def plain: line | gsub("(?<mark>[\\\\`*_{}\\[\\]()<>#+.!|~&:@-])"; "\\\(.mark)");
  (.shortId // "message" | plain) as $name
  | [["Status", "**\(.status | plain)**"],
      ["By", (by(.) | plain)],
      ["Reason", (reason | plain)],
      ["Request", if .permalink then "[\($name)](\(.permalink | line))" else $name end],
      ["Digest", if .digest then "`\(.digest[0:8])`" else "" end]]
  | map(select(.[1] != ""))
  | "| \(map(.[0]) | join(" | ")) |", "|\(map(" --- |") | join(""))", "| \(map(.[1]) | join(" | ")) |"
' "$RESULT_FILE" >>"$GITHUB_STEP_SUMMARY"

# https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
jq -r "$words"'
  def data: line | gsub("%"; "%25");
  { REJECTED: "Rejected", TIMED_OUT: "Timed out", WITHDRAWN: "Withdrawn" }[.status] as $title
  | if .status == "APPROVED" then empty
    elif $title == null then "::error title=Not decided::Its last status was \(.status | data)."
    else "::error title=\($title)::\($title)"
      + (by(.) | if . == "" then "" else " by \(data)" end)
      + (reason | if . == "" then "." else ": \(data)" end)
    end
' "$RESULT_FILE"
