import { formatUsdc, HOUR, MINUTE, SECOND } from '../../ops/units.ts'
import { PASS_CALLS, PASS_HEADER } from '../entitlements/pass.ts'
import { type Good, isCoveredByPass } from '../goods/good.ts'
import { chainIdOf } from '../ledger/ledger.ts'
import { SANDBOX_SIGN_PATH } from '../pages/sandboxSign.ts'
import { CHEAP_MICRO_USDC, OBJECTION_MS } from '../payment/legacyTimes.ts'
import { ID_KNOWN_FOR } from '../receipts/verify.ts'
import { parametersOf } from './entry.ts'
import type { Facts } from './facts.ts'
import { amountWords, type Limit } from './limits.ts'

/*
 * Passages of text documents. Each is markdown without a heading of its own, made from the facts: whatever uses one
 * puts it under its own heading.
 */

export const underHeadings = (passages: readonly (readonly [heading: string, text: string])[]): string =>
  passages.map(([heading, text]) => `## ${heading}\n\n${text}\n`).join('\n')

export const usd = (microUsdc: bigint): string => `$${formatUsdc(microUsdc)}`

/** The last part of a paid path. */
export const nameOf = ({ path }: { path: string }): string => path.slice(path.lastIndexOf('/') + 1)

/** `q` required, `echo?` optional. */
const signatureOf = (good: Good<unknown>): string =>
  good.parameters.map(({ name, required }) => (required ? name : `${name}?`)).join(', ')

/** One line: names, prices and query parameters of everything sold by GET. */
export const goodsInBrief = ({ goods }: Facts): string =>
  goods
    .map((good) => {
      const parameters = signatureOf(good)
      return `${nameOf(good)} ${formatUsdc(good.priceMicroUsdc)}${parameters === '' ? '' : ` (${parameters})`}`
    })
    .join(', ')

/** A table of everything sold by GET. */
export const goodsTable = ({ goods }: Facts): string =>
  [
    '| Path | USD | Parameters | Hour pass | What it is |',
    '| --- | --- | --- | --- | --- |',
    ...goods.map(
      (good) =>
        `| ${good.path} | ${formatUsdc(good.priceMicroUsdc)} | ${signatureOf(good) || 'none'} | ${isCoveredByPass(good) ? 'yes' : 'no'} | ${good.title} |`,
    ),
  ].join('\n')

/** Query parameters and headers of one good. */
export const parameterList = (good: Good<unknown>): string =>
  parametersOf(good)
    .map(
      ({ in: place, name, required, description, example }) =>
        `- ${place} \`${name}\`${required ? ' (required)' : ''}: ${description}. Example: \`${example}\``,
    )
    .join('\n')

/** Whose signature pays. A wallet that is not deployed pays only by factories that the operator has listed (ERC-6492). */
export const PAYING_WALLETS =
  'an ordinary account or a contract wallet (EIP-1271); deploy a wallet that is not on chain yet first'

/** Buying with a signed authorization, numbered, exact enough to be done with curl and a signer. */
export const buySteps = (
  { publicUrl, terms, answerTtlMs, testWallet }: Facts,
  path: string,
  query = '',
): string =>
  [
    `1. Ask without payment: \`curl -sD- "${publicUrl}${path}${query}"\`. The answer is 402. Its header PAYMENT-REQUIRED is base64 of JSON {x402Version, error, resource, accepts[], extensions}; nothing is charged and parameters are not looked at yet.`,
    `2. Read accepts[0]: scheme exact, network ${terms.network}, asset ${terms.asset}, amount in millionths of a USDC, payTo, maxTimeoutSeconds, extra. Stop if the amount is more than you want to spend.`,
    `3. Sign EIP-712 typed data TransferWithAuthorization {from: your address, to: payTo, value: amount, validAfter: 0, validBefore: now + maxTimeoutSeconds (Unix seconds), nonce: 32 random bytes}. Domain: {name: extra.name, version: extra.version, chainId: ${chainIdOf(terms.network)}, verifyingContract: asset}. Types: address, address, uint256, uint256, uint256, bytes32. Your wallet needs USDC and no gas, and may be ${PAYING_WALLETS}.${testWallet ? ` Here money is play money: without a wallet, POST {"accepted": accepts[0]} to ${publicUrl}${SANDBOX_SIGN_PATH}, whose answer has that payload signed.` : ''}`,
    '4. Make JSON {"x402Version":2,"resource":resource,"accepted":accepts[0],"payload":{"signature":"0x…","authorization":{"from","to","value","validAfter","validBefore","nonce"}},"extensions":extensions}. Copy accepts[0] whole, with all of extra. Numbers of the authorization are decimal strings.',
    `5. Repeat the same GET with the base64 of that JSON: \`curl -sD- -H "PAYMENT-SIGNATURE: $PAYMENT" "${publicUrl}${path}${query}"\`. Keep $PAYMENT until you have an answer.`,
    '6. 200: the body is {ok, protocol, sku, mode, result}; result.paymentAttestation is the signed receipt; header PAYMENT-RESPONSE is base64 JSON {success, transaction, network, payer, amount}.',
    `7. No answer, or 503: send the very same request with the same $PAYMENT again after Retry-After. Never sign anew for it: one payment is one purchase, it is charged once, and its answer is given again for ${answerTtlMs / HOUR} hours.`,
  ].join('\n')

/** What each status means for the money. */
export const moneyRules = (): string =>
  [
    '- 402: this payment has moved no money; one whose window is over is looked up on chain first. `code` says why; sign a new authorization from this 402. Only with `underpaid` of a classic purchase has a part of it arrived: send what is missing.',
    '- 400, 404, 405, 422: this request charged nothing. Correct it. A paid request with a bad parameter is a 400 and the payment stays unused. What a classic or card purchase was paid with before is not lost: after `intent_unknown`, correct the id or the buyer, and pay for no other.',
    '- 403 `refund_unproven`: the price was given back as store credit, which only its payer may receive: sign `prove.text` and send the same payment again with the signature in the header `prove.header`.',
    '- 403 `payer_unproven`, 503 `payer_unproven_yet`: the money has arrived and nothing was delivered for it yet: a transfer, or an authorization that somebody other than us submitted. Send and sign no other payment; sign `prove.text` with the wallet that paid.',
    '- 409: this payment, id or name belongs to another request; `next` says what to do.',
    '- 410: it was paid and answered so long ago that the answer is no longer kept, or its authorization was cancelled. It buys nothing again; pay anew only for a new answer.',
    '- 429: this request took nothing: wait for Retry-After, then send it again with the same payment.',
    '- 500: something broke on our side, possibly after the payment: send the same payment again, it is never taken twice.',
    '- 503: either nothing was charged (data too old, busy) or the outcome is not known yet: resend the same payment, it is never taken twice.',
    '- Refused by your own client before anything was sent: the stock one pays at most 1 USD a payment until `setSpendControls({ maxAmountPerPayment })` allows more.',
    '- Every refusal is JSON {ok:false, code, title, status, retryable, next}: application/problem+json, except for a 402, which has its offer as well, a refusal inside JSON-RPC at /mcp (a refusal of the request itself, such as 405 or 429, is a problem there too), and a page for a GET that names HTML in Accept and carries no payment and no token. A request that is not HTTP/1.1, or whose head is beyond the limit, never gets that far: 400, 431 or 505 with a line of HTML, or a closed connection.',
  ].join('\n')

/** Ways to pay other than one authorization for each call. */
export const otherWaysToPay = ({ publicUrl, goods, terms }: Facts): string => {
  const pass = goods.find(({ grant }) => grant?.kind === 'pass')
  const packs = goods.filter(({ creditMicroUsdc }) => creditMicroUsdc !== undefined)
  return [
    ...(pass === undefined
      ? []
      : [
          `- Hour pass: buy ${pass.path} (${usd(pass.priceMicroUsdc)}), then send result.token as header ${PASS_HEADER} on each GET that the pass covers: up to ${PASS_CALLS} answers in one hour. Refusals and errors cost no call.`,
        ]),
    `- Store credit: buy ${packs.map(({ path }) => path).join(', ')} with headers x-agent-id and X-Service-Credit-Auth (a secret of your own, 16 to 256 characters, locked for that agent id). Then send the same two headers on a GET instead of a payment. If you buy without the secret, the answer has a one-time claimCode to send as X-Service-Claim-Code on the first spend.`,
    `- Transfer: the body of a 402 has payment {intentId, payTo, amountUsdc}. Send exactly that much USDC on ${terms.network}, then repeat the GET with headers X-PAYMENT: {"intentId","txHash","paymentRail":"usdc_base"} and X-Service-Payer-Signature: the EIP-191 signature of "intent <intentId> paid by <txHash>" by the wallet that sent it. Without the signature a hash proves nothing: the answer comes ${OBJECTION_MS.cheap / SECOND} seconds after it was first shown (${OBJECTION_MS.other / MINUTE} minutes above ${formatUsdc(CHEAP_MICRO_USDC)} USD and for a pass, permit, token or credit) if nobody else shows the same hash.`,
    `- Classic: POST ${publicUrl}/purchase-intent {sku, buyerId, paymentRail}, pay payment.amountAsset to payment.receiverAddress on any rail of ${publicUrl}/payment-rails, POST ${publicUrl}/fulfill {intentId, buyerId: the same}. Also for SKUs without a GET path.`,
  ].join('\n')
}

export const receiptRules = ({ publicUrl }: Facts): string =>
  [
    `Every sale has a receipt, result.paymentAttestation {format, algorithm, keyId, attestationId, payload, signature, verifyUrl}: an Ed25519 signature over "service-receipt-v1|" and the RFC 8785 text of payload, by a key in ${publicUrl}/.well-known/receipt-oracle.json.`,
    `Check it offline with that key, or free of charge: \`curl "${publicUrl}/api/receipt-oracle/verify?id=$ATTESTATION_ID"\`, or POST {id, payload, signature} there. ${ID_KNOWN_FOR} payload.responseHash is the SHA-256 of the RFC 8785 text of result without paymentAttestation.`,
  ].join('\n')

/** A list of limits, one a line. */
export const limitsList = (limits: readonly Limit[]): string =>
  limits.map((limit) => `- ${limit.what}: ${amountWords(limit)}`).join('\n')
