import type { Inspection, OfferInspection } from './inspect.ts'
import { hanging, type Paint, printable, wrap } from './terminal.ts'

const NAME_WIDTH = 15

/** A decoded 402 for people. */
export function renderInspection(
  seen: Inspection,
  { paint, columns }: { paint: Paint; columns: number },
): string {
  const fact = (name: string, value: string | number | null): string =>
    value === null || value === ''
      ? ''
      : `${hanging(
          paint('dim', name.padEnd(NAME_WIDTH)),
          NAME_WIDTH,
          wrap(printable(String(value)), columns - NAME_WIDTH),
        ).join('\n')}\n`
  const offer = (each: OfferInspection, at: number): string =>
    [
      `\n${paint('bold', `Offer ${at + 1} of ${seen.accepts.length}`)}\n`,
      fact('price', `${priceOf(each)}, scheme ${each.scheme}`),
      fact('network', each.network),
      fact('asset', `${each.asset}${each.assetName === null ? '' : ` ${each.assetName}`}`),
      fact('pay to', each.payTo),
      fact('time', `${each.maxTimeoutSeconds} s from signing`),
      each.signs === null ? fact('not payable', each.why) : signed(each.signs, fact),
    ].join('')
  const { resource, sku, mode, extensions } = seen
  return [
    paint('bold', `${seen.status} Payment Required`),
    ` in ${seen.ms} ms, x402 version ${seen.x402Version ?? 'not said'}\n`,
    fact('asked', `GET ${seen.url}`),
    fact('resource', resource.url),
    fact('sku', sku === null ? null : `${sku}${mode === null ? '' : `, mode ${mode}`}`),
    fact('what', resource.description),
    fact('answers', resource.mimeType),
    fact(
      'sizes',
      `PAYMENT-REQUIRED ${seen.headerBytes} bytes, all headers ${seen.headBytes}, body ${seen.bodyBytes}`,
    ),
    fact('extensions', extensions.map(({ name, bytes }) => `${name} (${bytes} bytes)`).join(', ') || 'none'),
    ...seen.accepts.map(offer),
    '\nNothing was signed or paid.\n',
  ].join('')
}

const priceOf = ({ amountUsdc, amountAtomic }: OfferInspection): string =>
  amountUsdc === null ? `${amountAtomic} atomic` : `${amountUsdc} USDC (${amountAtomic} atomic)`

function signed(
  { domain, primaryType, message }: NonNullable<OfferInspection['signs']>,
  fact: (name: string, value: string) => string,
): string {
  const { name, version, chainId, verifyingContract } = domain
  return [
    fact('signs', `EIP-712 ${primaryType}`),
    fact(
      '  domain',
      `name ${name}, version ${version}, chainId ${chainId}, verifyingContract ${verifyingContract}`,
    ),
    ...Object.entries(message).map(([field, value]) => fact(`  ${field}`, value)),
  ].join('')
}
