/** Any port of the machine a browser runs on. */
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/

/**
 * Whether a web page of this origin may call the MCP server (its specification asks for this check, against DNS rebinding):
 * our own, one on the reader's own machine, or one that is configured. A caller that is no web page sends no Origin.
 * @param configured MCP_ORIGINS: comma list of origins; `*`: all of them
 */
export function createOriginCheck(publicUrl: string, configured: string): (origin: string) => boolean {
  const known = new Set([new URL(publicUrl).origin, ...configured.split(',').map((each) => each.trim())])
  return (origin) => origin === '' || known.has('*') || known.has(origin) || LOOPBACK.test(origin)
}
