import type { PublishedJwk } from './check.ts'

/** The keys that the service publishes, fetched anew each time. */
export async function publishedKeys(): Promise<PublishedJwk[]> {
  const answer = await fetch('/.well-known/receipt-oracle.json')
  const { keys } = (await answer.json()) as { keys: PublishedJwk[] }
  return keys
}
