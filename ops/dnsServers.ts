import { isIP, isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Asked in live mode unless DNS_RESOLVERS names others. */
export const PUBLIC_RESOLVERS = '1.1.1.1,8.8.8.8'

const WITH_PORT = /^(?:\[(?<v6>[0-9a-fA-F:.]+)\]|(?<v4>[0-9.]+)):(?<port>\d{1,5})$/

/** `1.1.1.1, 127.0.0.1:5353, [2606:4700:4700::1111]:53` → a list; empty text is no server. @returns null when malformed. */
export function parseDnsServers(text: string): string[] | null {
  if (text === '') return []
  const servers = text.split(',').map((server) => server.trim())
  return servers.every(isServer) ? servers : null
}

function isServer(server: string): boolean {
  if (isIP(server) !== 0) return true
  const { v6, v4, port } = WITH_PORT.exec(server)?.groups ?? {}
  const portNumber = Number(port)
  return (isIPv6(v6 ?? '') || isIPv4(v4 ?? '')) && portNumber >= 1 && portNumber <= 65_535
}

/** Is every server out in the public internet? A private one may know names that are nobody else's business. */
export const arePublic = (servers: readonly string[]): boolean =>
  servers.every((server) => ipaddr.parse(addressOf(server)).range() === 'unicast')

const addressOf = (server: string): string => {
  const { v6, v4 } = WITH_PORT.exec(server)?.groups ?? {}
  return v6 ?? v4 ?? server
}
