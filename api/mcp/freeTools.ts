import { PLACES } from '../storefront/places.ts'
import { type Tool, textArguments } from './tool.ts'

const FREE = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

const freeGet = (name: string, path: string, title: string, description: string): Tool => ({
  path,
  requestFor: () => ({ method: 'GET', path, query: {}, headers: { accept: 'application/json' }, body: '' }),
  discovery: null,
  listed: {
    name,
    title,
    description: `${description} Free.`,
    inputSchema: { type: 'object', properties: {} },
    annotations: { title, ...FREE },
    _meta: { examples: [{}] },
  },
})

const RECEIPT = {
  id: { type: 'string', description: 'attestationId of the receipt' },
  signature: { type: 'string', description: 'Ed25519 signature, base64' },
} as const

/** What can be had without paying: what is sold, samples of it, and whether a receipt is ours. */
export const FREE_TOOLS: readonly Tool[] = [
  freeGet(
    'list-services',
    PLACES.services.path,
    'Services and prices',
    'Every paid read with price, parameters and an example of its answer.',
  ),
  freeGet(
    'venue-wire-gaps',
    PLACES.venueWire.path,
    'Venue wire',
    'Price gaps between the two venues in bands, refreshed every 30 minutes. spread has exact figures.',
  ),
  freeGet(
    'alpha-preview',
    PLACES.alphaPreview.path,
    'Alpha preview',
    'Fee-adjusted edges in bands, delayed. bot-fuel has exact figures.',
  ),
  freeGet(
    'surface-audit',
    PLACES.audit.path,
    'Audit',
    'Masked ledger of recent sales and the self-check of this service.',
  ),
  {
    path: '/api/receipt-oracle/verify',
    requestFor(args) {
      const texts = textArguments(args, Object.keys(RECEIPT))
      if (typeof texts === 'string') return texts
      const { payload } = args
      const body = JSON.stringify({ ...texts, ...(payload === undefined ? {} : { payload }) })
      return {
        method: 'POST',
        path: this.path,
        query: {},
        headers: { 'content-type': 'application/json' },
        body,
      }
    },
    discovery: null,
    listed: {
      name: 'verify-receipt',
      title: 'Verify a receipt',
      description:
        'Whether a payment receipt (service-receipt-v1) was signed by this service: by its id, or by payload and signature. Free.',
      inputSchema: {
        type: 'object',
        properties: { ...RECEIPT, payload: { type: 'object', description: 'The signed payload, unchanged' } },
      },
      annotations: { title: 'Verify a receipt', ...FREE },
      _meta: { examples: [{ id: 'AAAAAAAAAAAAAAAAAAAAAA' }] },
    },
  },
]
