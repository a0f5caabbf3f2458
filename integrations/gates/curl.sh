# Goes on after an approval alone; ends with 22 after a rejection or the deadline, and with 1 if it was not Gatepost that
# answered. ATTEMPT names what is approved: a build, a version. curl 7.87 or newer.
seen=`curl --fail --silent --show-error --request POST --retry 100000 --retry-max-time 86400 --retry-connrefused \
  --header "Authorization: Bearer $GATEPOST_INTAKE_SECRET" \
  --url-query "attempt=$ATTEMPT" --url-query "title=Deploy $ATTEMPT" "$GATEPOST_URL/v1/gates/deploy?expires=24h&wait=50"` || exit
case $seen in *'"status":"approved"'*) ;; *) echo "No approval: $seen" >&2; exit 1 ;; esac
