import { isKnown } from '../../http/etag.ts'
import type { Handler } from '../../http/exchange.ts'
import { outageReply, problemReply } from '../../http/respond.ts'
import type { Route } from '../../http/router.ts'
import { assetRoute } from '../../pages/asset.ts'
import { browserModules } from '../../pages/browserModules.ts'
import { type Form, preferredForm } from '../../pages/negotiate.ts'
import { document, FORM_TYPES, pageReply, pageUnchanged } from '../../pages/shell.ts'
import { SERVICE_NAME } from '../../storefront/service.ts'
import { signatureHolds } from '../signature.ts'
import { findSigned, revokedSince, type VerifyPorts } from '../verify.ts'
import { receiptHtml, receiptJson, receiptMarkdown, type Shown, titleOf } from './views.ts'

const FOLDER = '/receipts/'
const ID = /^[A-Za-z0-9_-]{22,25}$/

/**
 * `/receipts/<id>`: one receipt for any caller who has its id, as HTML, markdown or JSON by `Accept`. Ids cannot be
 * guessed and are listed nowhere.
 * @param paths every path that is served: the page links only to existing ones.
 */
export function receiptPages(ports: VerifyPorts, paths: () => Iterable<string>): Route[] {
  const scripts = browserModules(new URL('client.ts', import.meta.url))
  const makers: Record<Form, (shown: Shown, path: string) => string> = {
    html: (shown, path) =>
      document({
        path,
        title: `${titleOf(shown)} · ${SERVICE_NAME}`,
        description: 'A signed receipt and how to check it.',
        body: receiptHtml(shown),
        //  the script checks the signature alone, which a revoked receipt still has
        ...(shown.revokedMs === null ? { scripts } : {}),
        served: new Set(paths()),
      }).text,
    markdown: receiptMarkdown,
    json: receiptJson,
  }
  const handler: Handler = async (request) => {
    const { path } = request
    const form = preferredForm(request.header('accept'))
    const knownTag = request.header('if-none-match')
    const id = path.slice(FOLDER.length)
    if (!ID.test(id)) return problemReply({ problem: 'receipt_unknown' })
    try {
      const signed = await findSigned(id, ports.ledger)
      if (signed === null) return problemReply({ problem: 'receipt_unknown' })
      const holds = signatureHolds(ports.receiptKeys, signed.payload, signed.signature)
      const revokedMs = await revokedSince(signed.attestationId, ports.ledger)
      const valid = holds && revokedMs === null
      const etag = `"${signed.attestationId}-${form}-${valid}"`
      if (isKnown(knownTag, etag)) return pageUnchanged(etag)
      const shown = { signed, valid, revokedMs, key: ports.receiptKeys.get(signed.payload.keyId) }
      const { headers, ...reply } = pageReply(FORM_TYPES[form], makers[form](shown, path), etag)
      return { ...reply, headers: [...headers, ['x-robots-tag', 'noindex']] }
    } catch (error) {
      return outageReply(error)
    }
  }
  return [{ method: 'GET', path: `${FOLDER}*`, handler }, ...scripts.map(assetRoute)]
}
