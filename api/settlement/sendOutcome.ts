/**
 * What a node says to a raw transaction. There are no agreed codes, only words that differ from client to client,
 * so they are read here and nowhere else, and nothing about money depends on them: whether a
 * transaction is in is asked of the chain.
 *
 * known: it has it already. spent: its nonce is mined. underpriced: another one with its nonce offers as much,
 * or the offer is below the base fee. no_gas: the account cannot pay. rejected: anything else.
 */
export type SendOutcome = 'accepted' | 'known' | 'spent' | 'underpriced' | 'no_gas' | 'rejected'

type Refused = Exclude<SendOutcome, 'accepted'>

const SAID: readonly (readonly [RegExp, Refused])[] = [
  [/already known|already imported|known transaction|already in (the )?(mem)?pool/i, 'known'],
  [/nonce (is )?too low|old nonce|nonce has already been used/i, 'spent'],
  [/insufficient funds|insufficient balance|not enough (funds|balance)/i, 'no_gas'],
  [/underpriced|less than block base fee|fee too low|replacement/i, 'underpriced'],
]

export const readSendError = (nodeText: string): Refused =>
  SAID.find(([pattern]) => pattern.test(nodeText))?.[1] ?? 'rejected'
