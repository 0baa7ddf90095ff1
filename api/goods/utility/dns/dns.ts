import { z } from 'zod'
import { isProblem } from '../../../errors.ts'
import { defineGood } from '../../good.ts'
import { DnsAnswer } from './answer.ts'
import { MAX_INPUT_CHARS, readHostname } from './hostname.ts'

const Name = z
  .string()
  .meta({ maxLength: MAX_INPUT_CHARS, pattern: '\\S' }) // as published; readHostname says what of it is wrong
  .transform((text, context) => {
    const hostname = readHostname(text)
    if ('name' in hostname) return hostname.name
    context.addIssue({ code: 'custom', message: hostname.refusal })
    return z.NEVER
  })

/** Public DNS look-up (spec 4.1 rule 7): asks a public resolver and connects to nobody else. */
export const dns = defineGood({
  sku: 'SKU_AG_DNS_01',
  path: '/x402/v1/dns',
  title: 'Public DNS records',
  description:
    'A, AAAA, MX, TXT, NS and CNAME records of a hostname (a URL is reduced to its hostname) from a public resolver, ' +
    'each type with its own status; addresses of private or special use are flagged. No connection to the host is ' +
    'opened. Refused: IP literals, single labels, localhost, .local, .internal, .home.arpa.',
  listPriceMicroUsdc: 1_000n,
  priceMicroUsdc: 1_000n,
  parameters: [
    {
      name: 'q',
      required: true,
      description: `Hostname or http(s), ws(s) or ftp URL; at most ${MAX_INPUT_CHARS} characters`,
      example: 'example.com',
    },
  ],
  input: z.object({ q: Name }),
  delivers: 'dns {A, AAAA, MX, TXT, NS, CNAME}',
  output: z.object({ dns: DnsAnswer }),
  refusals: ['busy', 'resolver_unavailable'],
  isSlow: () => true,
  answer: async ({ q }, { lookUp }) => {
    const answer = await lookUp(q)
    return isProblem(answer) ? answer : { result: { dns: answer }, snapshotVersion: null }
  },
})
