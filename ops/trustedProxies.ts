import ipaddr from 'ipaddr.js'

type Address = ReturnType<typeof ipaddr.parse>
type Network = ReturnType<typeof ipaddr.parseCIDR>

/** `10.0.0.0/8, 192.0.2.7, 2001:db8::/32` → a list; empty text is no proxy. @returns null when malformed. */
export function parseTrustedProxies(text: string): Network[] | null {
  if (text === '') return []
  try {
    return text.split(',').map((part) => networkOf(part.trim()))
  } catch {
    return null
  }
}

/**
 * The caller's address behind our own proxies: the last address in X-Forwarded-For that is not one of theirs. What
 * comes before that was written by the caller and proves nothing (HTTP-16).
 * @param forwardedFor all X-Forwarded-For headers, in the order they came
 */
export function callerBehind(trusted: readonly Network[], peer: string, forwardedFor: string): string {
  const hops = forwardedFor.split(',')
  let caller = parse(peer)
  while (caller !== null && trusted.some((network) => isIn(caller!, network))) {
    const next = parse(hops.pop()?.trim() ?? '')
    if (next === null) break
    caller = next
  }
  return caller === null ? peer : caller.toNormalizedString()
}

const networkOf = (text: string): Network => {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.parse(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128] as Network
}

/** An IPv4 address inside an IPv6 one is read as that IPv4 address. */
const parse = (text: string): Address | null => (ipaddr.isValid(text) ? ipaddr.process(text) : null)

const isIn = (address: Address, [network, bits]: Network): boolean =>
  address.kind() === network.kind() && address.match(network, bits)
