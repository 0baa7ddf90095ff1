import ipaddr from 'ipaddr.js'
import { isRefusedName } from './hostname.ts'

/** In the registry since 2025 (RFC 9780), and not yet known to ipaddr.js. */
const DUMMY = ipaddr.IPv6.parseCIDR('100:0:0:1::/64')

/**
 * What an address in an answer is reserved for, if it is not on the public internet: `loopback`, `private`,
 * `linkLocal`, … by the IANA special-purpose registries; null for a public address. A public name that points there is
 * data for the buyer; nothing here connects to it.
 */
export function specialUseOf(address: string): string | null {
  if (!ipaddr.isValid(address)) return 'invalid'
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv6 && parsed.match(DUMMY)) return 'dummy'
  const range = parsed.range()
  if (range !== 'ipv4Mapped') return range === 'unicast' ? null : range
  //  an IPv4 address in IPv6 clothes is named by what it is
  const inner = (parsed as ipaddr.IPv6).toIPv4Address().range()
  return inner === 'unicast' ? range : inner
}

/** A name in an answer (alias, mail or name server) that is for private use: `special`, else null. */
export const specialNameOf = (name: string): string | null => {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.')
  if (isRefusedName(labels)) return 'specialName'
  return ipaddr.isValid(name) ? specialUseOf(name) : null
}
