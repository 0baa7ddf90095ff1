import { elementOf } from '../../pages/client/dom.ts'
import { bytesOf, ed25519Holds, utf8 } from '../../pages/client/receipt/ed25519.ts'

/*
 * Checks the signature in the reader's browser: text, signature and key are those on the page. A browser without
 * Ed25519 leaves the server's verdict, and says so.
 */
const textOf = (id: string): string => elementOf(id).textContent

async function check(): Promise<[words: string, className: string]> {
  const subtle = globalThis.crypto.subtle as typeof globalThis.crypto.subtle | undefined //  in secure contexts only
  if (subtle === undefined) return [`${textOf('verdict')} (not checked here: no secure context)`, 'pill']
  const signature = bytesOf(textOf('signature'))
  const signed = utf8(textOf('signed'))
  const holds = signature !== null && (await ed25519Holds(subtle, { x: textOf('key'), signature, signed }))
  if (holds === null) return [`${textOf('verdict')} (not checked here: this browser has no Ed25519)`, 'pill']
  return holds
    ? ['Checked in this browser: the signature holds', 'pill open']
    : ['Checked in this browser: the signature does NOT hold', 'pill shut']
}

const [words, className] = await check()
const verdict = elementOf('verdict')
verdict.textContent = words
verdict.setAttribute('class', className)
