import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { privateKeyToAccount } from 'viem/accounts'

const required = JSON.parse(Buffer.from(await text(process.stdin), 'base64').toString())
const accepted = required.accepts[0]
const payer = privateKeyToAccount(process.env.PRIVATE_KEY)
const authorization = {
  from: payer.address,
  to: accepted.payTo,
  value: accepted.amount,
  validAfter: '0',
  validBefore: String(Math.floor(Date.now() / 1000) + accepted.maxTimeoutSeconds),
  nonce: '0x' + randomBytes(32).toString('hex'),
}
const signature = await payer.signTypedData({
  domain: {
    name: accepted.extra.name,
    version: accepted.extra.version,
    chainId: Number(accepted.network.split(':')[1]),
    verifyingContract: accepted.asset,
  },
  primaryType: 'TransferWithAuthorization',
  types: {
    TransferWithAuthorization: [
      { name: 'from', type: 'address' },
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'validAfter', type: 'uint256' },
      { name: 'validBefore', type: 'uint256' },
      { name: 'nonce', type: 'bytes32' },
    ],
  },
  message: authorization,
})
const payment = { x402Version: 2, resource: required.resource, accepted, payload: { signature, authorization } }
console.log(Buffer.from(JSON.stringify(payment)).toString('base64'))
