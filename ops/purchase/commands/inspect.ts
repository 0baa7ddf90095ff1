import { type Command, done } from '../command.ts'
import { loadDollars } from '../dollars.ts'
import { exchange } from '../exchange.ts'
import { inspectChallenge } from '../inspect.ts'
import { COMMON, SELLER } from '../options.ts'
import { PurchaseEnd } from '../outcomes.ts'
import { ACCEPT, describeUnpaid } from '../pay.ts'
import { renderInspection } from '../renderInspection.ts'
import { findSeller } from '../seller.ts'
import { readPointer, resolveTarget } from '../target.ts'

export const inspect: Command = {
  name: 'inspect',
  words: '<path | SKU | URL>',
  maxWords: 1,
  summary:
    'Asks without paying and decodes the 402: amount, to whom, network, times, extensions, what would be signed.',
  notes: 'Needs no wallet and signs nothing.',
  examples: [
    ['inspect /x402/v1/spread', 'what a payment would be'],
    ['inspect https://host.example/paid --json', 'of anybody, for programs'],
  ],
  options: ['q', 'param', ...SELLER, ...COMMON],
  async run(args, shell) {
    const [word] = args.words
    if (word === undefined) throw new PurchaseEnd('usage', 'what shall be looked at? Give a path, SKU or URL')
    const pointer = readPointer(word)
    const origin = pointer.kind === 'url' ? pointer.url.origin : args.base
    const { base } = await findSeller(args, shell.dataDir, origin)
    const { url } = await resolveTarget(pointer, base, args.parameters)
    const startMs = performance.now()
    const { answer, attempt } = await exchange(new Request(url, { headers: ACCEPT }), args.timeoutMs)
    if (answer === null)
      throw new PurchaseEnd('unreachable', `${new URL(url).origin} does not answer (${attempt.reason})`)
    if (answer.status !== 402) throw new PurchaseEnd('refused', describeUnpaid(answer))
    const inspection = inspectChallenge(url, answer, performance.now() - startMs, await loadDollars())
    return done(inspection, renderInspection(inspection, shell))
  },
}
