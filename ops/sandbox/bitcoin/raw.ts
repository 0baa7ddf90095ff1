import { createHash } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'
import { bech32, bech32m, createBase58check } from '@scure/base'

const base58check = createBase58check(sha256)

export type Raw = {
  version: number
  locktime: number
  vin: readonly { txid: string; vout: number; scriptsig: string; sequence: number }[]
  vout: readonly { scriptpubkey: string; value: number }[]
}

/** The script of an output to an address, as its wallet writes it. */
export function scriptTo(address: string): string {
  const segwit = bech32.decodeUnsafe(address) ?? bech32m.decodeUnsafe(address)
  if (segwit) {
    const program = Buffer.from(bech32.fromWords(segwit.words.slice(1)))
    const version = segwit.words[0] === 0 ? 0 : 0x50 + segwit.words[0]!
    return byte(version) + byte(program.length) + program.toString('hex')
  }
  const decoded = Buffer.from(base58check.decode(address)).toString('hex')
  const isScript = ['05', 'c4'].includes(decoded.slice(0, 2))
  return isScript ? `a914${decoded.slice(2)}87` : `76a914${decoded.slice(2)}88ac`
}

/** A transaction's id: twice SHA-256 of it without its witnesses, written backwards. */
export function idOf({ version, locktime, vin, vout }: Raw): string {
  const inputs = vin.map(
    (input) =>
      backwards(input.txid) + number(input.vout, 4) + script(input.scriptsig) + number(input.sequence, 4),
  )
  const outputs = vout.map(({ value, scriptpubkey }) => number(value, 8) + script(scriptpubkey))
  const whole =
    number(version, 4) +
    size(vin.length) +
    inputs.join('') +
    size(vout.length) +
    outputs.join('') +
    number(locktime, 4)
  return backwards(digest(digest(whole)))
}

const digest = (hex: string): string => createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex')
const backwards = (hex: string): string => Buffer.from(hex, 'hex').reverse().toString('hex')
const number = (value: number, bytes: number): string =>
  backwards(value.toString(16).padStart(2 * bytes, '0'))
const byte = (value: number): string => number(value, 1)
const script = (hex: string): string => size(hex.length / 2) + hex
const size = (count: number): string =>
  count < 0xfd ? byte(count) : count < 0x1_00_00 ? `fd${number(count, 2)}` : `fe${number(count, 4)}`
