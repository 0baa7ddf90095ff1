/** Whether a token is known to be a dollar of six decimals, as USDC is. For any other no limit in dollars holds. */
export type IsDollar = (offer: { asset: string; network: string }) => boolean

const DECIMALS = 6

/** @param find the stock client's table of dollars by chain and contract. */
export const dollarsBy =
  (find: (asset: string, network: `${string}:${string}`) => { decimals: number } | undefined): IsDollar =>
  ({ asset, network }) =>
    find(asset, network as `${string}:${string}`)?.decimals === DECIMALS

/** Costs half a second of CPU. */
export const loadDollars = async (): Promise<IsDollar> =>
  dollarsBy((await import('@x402/evm')).findDefaultAsset)
