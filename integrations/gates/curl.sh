# Ends with 0 for an approval alone: 22 after a rejection or the deadline. ATTEMPT names what is approved: a build, a version.
curl --fail --silent --show-error --request POST --retry 100000 --retry-max-time 86400 --retry-connrefused \
  --header "Authorization: Bearer $GATEPOST_INTAKE_SECRET" \
  "$GATEPOST_URL/v1/gates/deploy?attempt=$ATTEMPT&title=Deploy%20$ATTEMPT&wait=50"
