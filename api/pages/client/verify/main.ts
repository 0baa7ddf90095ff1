import { html } from '../../html.ts'
import { elementOf } from '../dom.ts'
import { type Attested, checkReceipt, type Finding } from '../receipt/check.ts'
import { findingsHtml } from '../receipt/findings.ts'
import { publishedKeys } from '../receipt/keys.ts'
import { readPasted } from './read.ts'

/* Checks a pasted receipt twice: here, with the browser's own Ed25519, and by the service. */

const form = elementOf('verify')
const field = elementOf('receipt')
const verdicts = elementOf('verdicts')

async function byId(id: string): Promise<Attested | null> {
  const answer = await fetch(`/receipts/${id}`, { headers: { accept: 'application/json' } })
  if (!answer.ok) return null
  const { attestation } = (await answer.json()) as { attestation: Attested }
  return attestation
}

async function byService({ payload, signature }: Attested): Promise<Finding> {
  const answer = await fetch('/api/receipt-oracle/verify', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payload, signature }),
  })
  const { valid, reason, kind } = (await answer.json()) as { valid?: boolean; reason?: string; kind?: string }
  return {
    what: 'receipt',
    ok: valid === true,
    words: valid === true ? `is a ${kind} of ours` : `refused: ${reason ?? answer.status}`,
  }
}

async function verify(): Promise<string> {
  const pasted = readPasted(field.value)
  if ('problem' in pasted) return html`<p class="pill shut">${pasted.problem}</p>`.text
  const attested = 'id' in pasted ? await byId(pasted.id) : pasted.attested
  if (attested === null) return html`<p class="pill shut">There is no receipt with this id.</p>`.text
  const result = 'id' in pasted ? null : pasted.result
  const here = await checkReceipt(attested, result, await publishedKeys(), globalThis.crypto.subtle)
  return (
    findingsHtml('This browser', here).text + findingsHtml('The service', [await byService(attested)]).text
  )
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  verdicts.innerHTML = html`<p class="note">Checking</p>`.text
  verify().then(
    (text) => {
      verdicts.innerHTML = text
    },
    () => {
      verdicts.innerHTML = html`<p class="pill shut">The service does not answer. Try again.</p>`.text
    },
  )
})
