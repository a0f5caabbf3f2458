# Ends with 0 for an approval alone: 22 after a rejection or the deadline. ATTEMPT names what is approved: a build, a version. curl 7.87 or newer.
curl --fail --silent --show-error --request POST --retry 100000 --retry-max-time 86400 --retry-connrefused \
  --header "Authorization: Bearer $GATEPOST_INTAKE_SECRET" \
  --url-query "attempt=$ATTEMPT" --url-query "title=Deploy $ATTEMPT" "$GATEPOST_URL/v1/gates/deploy?wait=50"
