import { createHmac } from 'node:crypto'
import { sha256Hex } from '../receipts/canonical.ts'

export const CREDIT_AUTH_HEADER = 'X-Service-Credit-Auth'
export const CLAIM_CODE_HEADER = 'X-Service-Claim-Code'
/** The network that receipts name for credit, which moves on none. */
export const CREDIT_NETWORK = 'store-credit'
/** Headers of answers to the right secret: what can be spent now, and what is held for open purchases, in USD. */
export const CREDIT_BALANCE_HEADER = 'X-Service-Credit-Balance-Usdc'
export const CREDIT_HELD_HEADER = 'X-Service-Credit-Held-Usdc'

const ACCOUNT = /^[\x21-\x7e]{1,128}$/
const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/
/** Long enough not to be guessed; visible ASCII, so that two spellings are never one secret. */
const SECRET = /^[\x21-\x7e]{16,256}$/

/** The forms of an account's name and of its secret, as the interface description publishes them. */
export const ACCOUNT_FORM = { pattern: ACCOUNT.source, description: '1 to 128 visible ASCII characters' }
export const SECRET_FORM = { pattern: SECRET.source, description: '16 to 256 visible ASCII characters' }

/** Name of a buyer's account: the agent id as sent, an EVM address in lower case; null when it cannot name one. */
export function accountOf(agentId: string): string | null {
  if (EVM_ADDRESS.test(agentId)) return agentId.toLowerCase()
  return ACCOUNT.test(agentId) ? agentId : null
}

/** Whether this is an account that is named after a wallet. */
export const isWallet = (account: string): boolean => EVM_ADDRESS.test(account)

/** What the ledger calls the account: nothing a buyer writes gets into a key. */
export const accountDigest = (account: string): string => sha256Hex(`account|${account}`)

/** What the ledger keeps of a name that may be an e-mail address: nobody without our secret can try names on it. */
export const buyerDigest = (secret: Buffer, name: string): string =>
  name === '' ? '' : createHmac('sha256', secret).update(`buyer|${name}`).digest('hex')

/**
 * What receipts and books call an account that paid: always the same for one account, as the audit counts buyers. Keyed,
 * since receipts are shown to others: the wallets and names to try are known, and one of them would fit. Nor is it part
 * of what names the buyer of a card: anybody may buy by card under a name to try.
 */
export const accountPayer = (secret: Buffer, account: string): string =>
  `account:${createHmac('sha256', secret).update(`payer|${account}`).digest('hex').slice(0, 32)}`

/** Shown in documents in place of a secret: too short to be accepted, so that nobody uses a public one. */
export const SECRET_EXAMPLE = '<YOUR_SECRET>'

export const isCreditSecret = (text: string): boolean => SECRET.test(text)

/** What the ledger keeps of a buyer's secret: useless without ours, and another for every account. */
export const creditAuthDigest = (secret: Buffer, account: string, text: string): string =>
  createHmac('sha256', secret)
    .update(`credit-auth|${accountDigest(account)}|${text}`)
    .digest('hex')
