import { readFileSync } from 'node:fs'
import type { Good } from '../../goods/good.ts'
import type { Facts } from '../../storefront/facts.ts'
import type { CodeLanguage } from '../content/content.ts'

/** Code that is shown as it runs: a test takes it from the page and runs it. */
export type Example = { id: string; name: string; language: CodeLanguage; code: string }

/**
 * The files of `examples/`, in the order they are shown. Two names in them, which are filled in, stand for the service.
 */
const FILES: readonly (Omit<Example, 'code'> & { file: string })[] = [
  { id: 'ask', file: 'ask.sh', language: 'sh', name: 'Ask for the price: no account, no key' },
  {
    id: 'sign',
    file: 'sign.mjs',
    language: 'ts',
    name: 'sign.mjs: reads PAYMENT-REQUIRED, writes PAYMENT-SIGNATURE (npm install viem)',
  },
  {
    id: 'curl',
    file: 'pay.sh',
    language: 'sh',
    name: 'Pay with curl: the same GET, with the signed payment (PRIVATE_KEY: a wallet with USDC)',
  },
  {
    id: 'typescript',
    file: 'buy.mts.txt',
    language: 'ts',
    name: 'buy.mts: the stock x402 client (npm install @x402/fetch @x402/evm viem; PRIVATE_KEY: a wallet with USDC; run it by node buy.mts, Node 22.18 or newer)',
  },
  {
    id: 'python',
    file: 'buy.py',
    language: 'python',
    name: 'buy.py: the x402 package (pip install "x402[evm,requests]" eth-account)',
  },
]

const TEXTS = FILES.map(({ file, ...about }) => ({
  ...about,
  text: readFileSync(new URL(`examples/${file}`, import.meta.url), 'utf8').trimEnd(),
}))

/** The read that a first purchase buys: the cheapest one that needs no parameter. */
export function firstRead(goods: Facts['goods']): Good<unknown> {
  const [cheapest] = goods
    .filter(({ parameters }) => !parameters.some(({ required }) => required))
    .sort((one, other) => Number(one.priceMicroUsdc - other.priceMicroUsdc))
  if (cheapest === undefined) throw new Error('assumption broken: something is sold that needs no parameter')
  return cheapest
}

export function examplesOf({ goods, publicUrl }: Pick<Facts, 'goods' | 'publicUrl'>): readonly Example[] {
  const { path } = firstRead(goods)
  return TEXTS.map(({ text, ...about }) => ({
    ...about,
    code: text.replaceAll('__PATH__', path).replaceAll('__BASE_URL__', publicUrl),
  }))
}
