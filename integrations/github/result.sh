#!/bin/sh
# Sets the outputs of the action from Gatepost's last answer, and writes it to the job's summary.
set -eu

[ -s "$RESULT_FILE" ] || exit 0

# Each value is one line, so that it cannot set another output.
jq -r '
  { id, status, by: ((.outcome.by // []) | join(",")), permalink, digest }
  | to_entries[] | "\(.key)=\(.value // "" | tostring | gsub("[\r\n]"; " "))"
' "$RESULT_FILE" >>"$GITHUB_OUTPUT"

# Names come from Slack: Markdown and HTML in them are escaped.
jq -r '
  def line: gsub("[\r\n]"; " ");
  def plain: line | gsub("(?<mark>[\\\\`*_{}\\[\\]()<>#+.!|~&:@-])"; "\\\(.mark)");
  . as $answer
  | ((.outcome.by // []) | map($answer.names[.] // .) | join(", ") | plain) as $by
  | "**\(.status | plain)**"
    + (if $by == "" then "" else " by \($by)" end)
    + (if .permalink then " · [message](\(.permalink | line))" else "" end)
    + (if .digest then " · digest `\(.digest[0:8])`" else "" end)
' "$RESULT_FILE" >>"$GITHUB_STEP_SUMMARY"
