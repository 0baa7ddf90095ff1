import type { webcrypto } from 'node:crypto'

/*
 * Checks the signature where it is read: the text, the signature and the key are those that stand on the page. A browser
 * without Ed25519 leaves what the server found, and says so.
 */
type Element = { textContent: string; className: string }
type Browser = {
  document: { getElementById(id: string): Element | null }
  crypto: { subtle?: webcrypto.SubtleCrypto } //  only in secure contexts
}

const { document, crypto } = globalThis as unknown as Browser

const textOf = (id: string): string => document.getElementById(id)?.textContent ?? ''
const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
const standard = (base64url: string) => base64url.replaceAll('-', '+').replaceAll('_', '/')

async function check(): Promise<[words: string, className: string]> {
  const { subtle } = crypto
  if (subtle === undefined) return [`${textOf('verdict')} (not checked here: no secure context)`, 'pill']
  let key: webcrypto.CryptoKey
  try {
    key = await subtle.importKey('raw', bytesOf(standard(textOf('key'))), { name: 'Ed25519' }, false, [
      'verify',
    ])
  } catch {
    return [`${textOf('verdict')} (not checked here: this browser has no Ed25519)`, 'pill']
  }
  const bytes = new TextEncoder().encode(textOf('signed'))
  const holds = await subtle.verify({ name: 'Ed25519' }, key, bytesOf(textOf('signature')), bytes)
  return holds
    ? ['Checked in this browser: the signature holds', 'pill open']
    : ['Checked in this browser: the signature does NOT hold', 'pill shut']
}

const [words, className] = await check()
const verdict = document.getElementById('verdict')
if (verdict !== null) Object.assign(verdict, { textContent: words, className })
