/**
 * Decimals of the provider's smallest unit where they are not two. The provider's own lists: it keeps two for some
 * currencies that have none (ISK, UGX, IDR), so neither ISO 4217 nor Intl tells them.
 * @see https://docs.stripe.com/currencies#minor-units
 */
const DECIMALS = new Map([
  ...'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' ').map((one) => [one, 0] as const),
  ...'bhd jod kwd omr tnd'.split(' ').map((one) => [one, 3] as const),
])
const CODE = /^[a-z]{3}$/

/** An amount as the provider names it, for a person. Pure. @param cents in the currency's smallest unit, also if that is no cent. */
export function amountText(cents: number | null, currency: string | null): string {
  const code = currency?.toLowerCase() ?? '?'
  if (cents === null) return `? ${code}`
  if (!CODE.test(code)) return `${cents} smallest units of ${code}`
  const decimals = DECIMALS.get(code) ?? 2
  return `${(cents / 10 ** decimals).toFixed(decimals)} ${code}`
}
