BASE_URL=${BASE_URL:-__BASE_URL__}
REQUIRED=$(curl -sD - -o /dev/null "$BASE_URL__PATH__" | tr -d '\r' |
  awk 'tolower($1) == "payment-required:" { print $2 }')
SIGNATURE=$(printf %s "$REQUIRED" | node sign.mjs)
curl -i "$BASE_URL__PATH__" -H "PAYMENT-SIGNATURE: $SIGNATURE"
# HTTP/1.1 200 OK
# payment-response: base64 of {success, transaction, network, payer}
