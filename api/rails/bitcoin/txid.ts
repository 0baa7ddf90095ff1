import { createHash } from 'node:crypto'
import type { BitcoinTransaction } from './wire.ts'

type Named = Pick<BitcoinTransaction, 'version' | 'locktime' | 'vin' | 'vout'>

/**
 * The id of what a server shows: the hash of all that was signed, so no output of it can be shown otherwise than it is
 * (CHN-04). Witnesses are no part of it.
 */
export function txidOf({ version, locktime, vin, vout }: Named): string {
  const inputs = vin.map((input) =>
    Buffer.concat([
      Buffer.from(input.txid, 'hex').reverse(),
      uint32(input.vout),
      withLength(input.scriptsig),
      uint32(input.sequence),
    ]),
  )
  const outputs = vout.map(({ value, scriptpubkey }) =>
    Buffer.concat([uint64(value), withLength(scriptpubkey)]),
  )
  const whole = [
    uint32(version >>> 0),
    count(inputs.length),
    ...inputs,
    count(outputs.length),
    ...outputs,
    uint32(locktime),
  ]
  return sha256(sha256(Buffer.concat(whole)))
    .reverse()
    .toString('hex')
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

/** Bitcoin's CompactSize; no block holds as many of anything as would need nine bytes. */
function count(value: number): Buffer {
  if (value < 0xfd) return Buffer.of(value)
  const bytes = Buffer.alloc(value <= 0xff_ff ? 3 : 5)
  bytes[0] = value <= 0xff_ff ? 0xfd : 0xfe
  bytes.writeUIntLE(value, 1, bytes.length - 1)
  return bytes
}

function withLength(hex: string): Buffer {
  const script = Buffer.from(hex, 'hex')
  return Buffer.concat([count(script.length), script])
}
