import { z } from 'zod'
import { defineGood } from '../../good.ts'
import { measuredOf } from '../measured.ts'
import { TextQuery } from '../text/query.ts'
import { countPii } from './countPii.ts'
import { Pii } from './result.ts'

/** Counts personal data and key shapes (spec 4.1 rule 10). Counts and score only; nothing is redacted or stored. */
export const pii = defineGood({
  sku: 'SKU_AG_PII_01',
  path: '/x402/v1/pii',
  title: 'Personal-data and key-shape counter',
  description:
    'Counts personal data and keys in a text: e-mail, card (Luhn, issuer), IBAN (mod 97), SSN, IP, phone-like numbers, PEM, EVM and wallet private keys, BIP-39 seed phrases of every list (checksum), JWTs, provider tokens, credentials in URLs and fields. Returns counts and a risk score 0-100 with the measured rates; never the text found. Does not redact or store.',
  listPriceMicroUsdc: 20_000n,
  priceMicroUsdc: 1_000n,
  parameters: [
    {
      name: 'q',
      required: true,
      description: 'Text, at most 8 KiB',
      example: 'Mail ann@example.com, card 4111 1111 1111 1111',
    },
  ],
  input: TextQuery,
  delivers: 'pii {risk score, counts}',
  output: z.object({ pii: Pii }),
  answer: ({ q }) => ({
    result: { pii: { ...countPii(q), measured: [...measuredOf('pii')] } satisfies Pii },
    snapshotVersion: null,
  }),
})
