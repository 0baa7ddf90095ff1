import { type Address, type Hex, keccak256, serializeTransaction } from 'viem'
import { UnavailableError } from '../../ops/errors.ts'
import type { Fees } from './fees.ts'
import { addressOfKey, signDigest } from './key.ts'
import { quantityOf } from './nodeReads.ts'
import { type Rpc, RpcError } from './rpc.ts'
import { readSendError, type SendOutcome } from './sendOutcome.ts'
import type { LoneCall } from './simulate.ts'

/** One signed form of a transaction. Its hash is known before anybody has seen it. */
export type SignedTx = { tx: Hex; raw: Hex; fees: Fees }

/** The account that pays for gas. The key stays in here. */
export type Wallet = {
  address: Address
  sign(call: LoneCall, nonce: number, fees: Fees): Promise<SignedTx>
  /** 'unsure': the node did not answer, so it may have it. */
  send(signed: SignedTx): Promise<SendOutcome | 'unsure'>
  /** Whether the node has this transaction, mined or waiting. */
  knows(tx: Hex): Promise<boolean>
  minedCount(): Promise<number>
  /** Mined transactions plus those that wait at the node without a gap before them. */
  waitingCount(): Promise<number>
  balance(): Promise<bigint>
}

/** @param sender where transactions are sent: it alone knows which of them wait. */
export function createWallet({
  rpc,
  sender = rpc,
  key,
  chainId,
}: {
  rpc: Rpc
  sender?: Rpc
  key: Hex
  chainId: number
}): Wallet {
  const address = addressOfKey(key)
  const count = async (block: 'latest' | 'pending') =>
    Number(await quantityOf(rpc, 'eth_getTransactionCount', [address, block]))
  return {
    address,
    async sign({ to, data, gas }, nonce, fees) {
      const transaction = {
        type: 'eip1559',
        chainId,
        nonce,
        to,
        data,
        gas,
        value: 0n,
        maxFeePerGas: fees.maxFee,
        maxPriorityFeePerGas: fees.tip,
      } as const
      const digest = keccak256(serializeTransaction(transaction), 'bytes')
      const raw = serializeTransaction(transaction, signDigest(digest, key))
      return { tx: keccak256(raw), raw, fees }
    },
    async send({ raw }) {
      try {
        await sender.call('eth_sendRawTransaction', [raw])
        return 'accepted'
      } catch (error) {
        if (error instanceof RpcError) return readSendError(error.nodeText)
        if (error instanceof UnavailableError) return 'unsure'
        throw error
      }
    },
    knows: async (tx) => (await sender.call('eth_getTransactionByHash', [tx])) !== null,
    minedCount: () => count('latest'),
    waitingCount: () => count('pending'),
    balance: () => quantityOf(rpc, 'eth_getBalance', [address, 'latest']),
  }
}
