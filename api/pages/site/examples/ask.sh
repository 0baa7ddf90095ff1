BASE_URL=${BASE_URL:-__BASE_URL__}
curl -i "$BASE_URL__PATH__"
# HTTP/1.1 402 Payment Required
# payment-required: base64 of {x402Version, resource, accepts[], extensions}
