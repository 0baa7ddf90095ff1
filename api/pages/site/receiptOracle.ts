import { receiptOracle as sold } from '../../goods/receiptOracle.ts'
import { kidOf } from '../../receipts/did.ts'
import { ID_KNOWN_FOR } from '../../receipts/verify.ts'
import { html } from '../html.ts'
import { money } from './prices.ts'
import type { SitePage } from './sitePage.ts'

/** The form works only with its script; without it the page says how to ask the service. */
const form = html`<form id="verify" class="panel" aria-labelledby="h-check">
<p><label for="receipt">A receipt, a whole paid answer, or the id of a receipt</label></p>
<textarea id="receipt" name="receipt" rows="8" spellcheck="false" autocomplete="off" required></textarea>
<p><button type="submit">Verify</button></p>
<div id="verdicts" aria-live="polite"></div>
<noscript><p class="note">This form needs JavaScript. Without it: GET /api/receipt-oracle/verify?id=, or the page /receipts/ of the receipt.</p></noscript>
</form>
`

/** Who signs receipts and with which keys, and a form that checks a receipt in the browser. */
export const receiptOracle: SitePage = {
  place: 'receipts',
  description: 'Check a receipt in the browser or by the service: keys, signed bytes, what a receipt states.',
  script: new URL('../client/verify/main.ts', import.meta.url),
  content: ({ publicUrl, receiptKeys, terms }) => ({
    lead: [
      'Every sale brings a receipt: who paid how much, in which transaction, for which request, and the hash of the answer. It is signed with Ed25519, and anybody can check it, for ever, without asking us.',
    ],
    sections: [
      { id: 'check', title: 'Verify a receipt', blocks: [{ widget: form }] },
      {
        id: 'how',
        title: 'How to check one yourself',
        blocks: [
          {
            steps: [
              'Take `payload` and `signature` of `result.paymentAttestation`.',
              'Write `payload` as RFC 8785 text: keys sorted, no spaces.',
              'Put its `format` and a `|` before it: `service-receipt-v1|{"amount":…}`. The UTF-8 of that is what is signed.',
              'Verify `signature` (base64, 64 bytes) under the key that `keyId` names. Compare the key with the list below, not with anything that came with the receipt.',
              'To bind the money: `amount` is in dollars. If `paid` is present, it lists what moved, each part in units of its own asset; otherwise it was `amountAtomic` of `asset`.',
              'To bind the request: `requestHash`, by the recipe in [/.well-known/receipt-oracle.json](/.well-known/receipt-oracle.json).',
              'To bind the answer: SHA-256 of the RFC 8785 text of `result` without `paymentAttestation` is `responseHash`.',
            ],
          },
          {
            code: `curl -s '${publicUrl}/api/receipt-oracle/verify?id=<ATTESTATION_ID>'
curl -s ${publicUrl}/api/receipt-oracle/verify \\
  -H 'content-type: application/json' -d '{"payload":{…},"signature":"…"}'`,
            language: 'sh',
            name: 'Or ask the service: valid is true only when all that was given agrees',
          },
          { p: ID_KNOWN_FOR },
        ],
      },
      {
        id: 'keys',
        title: 'Keys',
        blocks: [
          {
            table: {
              caption: 'Ed25519 keys of this service. Former keys keep verifying what they signed.',
              head: ['Key', 'State', 'Public key (base64url)', 'DID URL'],
              rows: [...receiptKeys.values()].map((key) => [
                `\`${key.keyId}\``,
                key.keyId === terms.receiptKey.keyId ? 'signs now' : 'former or next',
                `\`${key.x}\``,
                `\`${kidOf(publicUrl, key)}\``,
              ]),
            },
          },
          {
            p: 'For programs: [/.well-known/receipt-oracle.json](/.well-known/receipt-oracle.json) has them as PEM and JWK, [did.json](/.well-known/did.json) as a DID document.',
          },
        ],
      },
      {
        id: 'statement',
        title: 'A statement of your own',
        blocks: [
          {
            p: `[${sold.path}](${sold.path}) signs a hash or a JSON statement of yours for ${money(sold.priceMicroUsdc)}: when it was handed in and by which payment, not that it is true. It has a format of its own, \`service-statement-v1\`, so it can never be shown as a payment receipt.`,
          },
        ],
      },
    ],
  }),
  data: ({ publicUrl, receiptKeys, terms }) => ({
    descriptor: '/.well-known/receipt-oracle.json',
    verify: { get: '/api/receipt-oracle/verify?id={attestationId}', post: '/api/receipt-oracle/verify' },
    keys: [...receiptKeys.values()].map((key) => ({
      keyId: key.keyId,
      kid: kidOf(publicUrl, key),
      signs: key.keyId === terms.receiptKey.keyId,
      publicKeyPem: key.publicKeyPem,
    })),
  }),
}
