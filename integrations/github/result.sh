#!/bin/sh
# Sets the outputs of the action from Gatepost's last answer, writes it to the job's summary, and says in an annotation
# why the step did not end with an approval.
set -eu

[ -s "$RESULT_FILE" ] || exit 0

# Names and reasons come from Slack.
words='
  def line: gsub("[\r\n]"; " ");
  def by($all): [.outcome.by[]? | $all.names[.] // .] | join(", ");
  # Its approval opens nothing: no later step should take it for one.
  def seen: if .ownApproval then .status = "OWN_APPROVAL" else . end;
  def reason: [.ballots[]? | select(.action == "reject") | .reason // empty] | join("; ");
'

# Each value is one line, so that it cannot set another output.
jq -r "$words"'
  seen | { id, "short-id": .shortId, status, by: ([.outcome.by[]?] | join(",")), reason: reason, permalink, digest }
  | to_entries[] | "\(.key)=\(.value // "" | tostring | line)"
' "$RESULT_FILE" >>"$GITHUB_OUTPUT"

# Markdown and HTML are escaped.
jq -r "$words"'
  def plain: line | gsub("(?<mark>[\\\\`*_{}\\[\\]()<>#+.!|~&:@-])"; "\\\(.mark)");
  seen | (.shortId // "message" | plain) as $name
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
  def ended: if test("[.!?…]$") then . else "\(.)." end;
  def undecided: if .blocked == "only-requester" then "Only its requester can decide it: nobody else is asked."
    elif .blocked then "Slack refuses the message (\(.posting.reason)): nobody is asked."
    else "Its last status was \(.status)." end;
  def withdrawn: if .supersededBy then ": replaced by a newer request"
    elif .withdrawnBy then " by its requester \(.names[.withdrawnBy] // .withdrawnBy)" else ": nothing was decided" end;
  if .ownApproval then ["Own approval", null, "Approved by the person who asks for it, so it opens nothing."]
  elif .status == "APPROVED" then empty
  elif .status == "REJECTED" then ["Rejected", " by \(by(.))\(reason | if . == "" then "" else ": \(.)" end)"]
  elif .status == "TIMED_OUT" then ["Timed out", ": nobody decided in time"]
  elif .status == "WITHDRAWN" and (.blocked | not) then ["Withdrawn", withdrawn]
  else ["Not decided", null, undecided] end
  | "::error title=\(.[0])::\(.[2] // "\(.[0])\(.[1])" | ended | data)"
' "$RESULT_FILE"
