import { openingSaleRecord } from '../../catalog/openingSale.ts'
import { FREE_TOOLS } from '../../mcp/freeTools.ts'
import { paidTool } from '../../mcp/paidTools.ts'
import { catalog } from '../../pages/site/catalog.ts'
import { commerce } from '../../pages/site/commerce.ts'
import { createChallenge } from '../../payment/challenge.ts'
import { agentStore } from '../documents/agentStore.ts'
import type { Facts } from '../facts.ts'
import { DOCUMENTS } from '../index.ts'
import { chargedByReply } from './charged.ts'
import { disagreements, fieldsOf, type SurfaceAudit } from './compare.ts'
import { READERS, type Said, SURFACES, type Surface } from './readers.ts'
import { readToolReport, soldDigest } from './toolReport.ts'

/** Reads every surface as text, as a stranger would, and compares it with the 402s. 0.3 s of CPU at a cold start. */
export function auditSurfaces(facts: Facts, nowMs: number, texts = surfaceTexts(facts)): SurfaceAudit {
  const charged = facts.goods.map((good) =>
    chargedByReply(createChallenge(good, facts.terms)('payment_required', nowMs)),
  )
  const read = SURFACES.map((path) => ({ path, said: readSurface(path, texts[path]) }))
  const report = readToolReport()
  const found = read.flatMap(({ path, said }) => disagreements(path, said, charged))
  return {
    checkedAt: new Date(nowMs).toISOString(),
    goods: charged.length,
    checked: read.map(({ path, said }) => ({ path, goods: said.length, compared: fieldsOf(said) })),
    agree: found.length === 0,
    disagreements: found,
    tools: { sameGoods: report.soldDigest === soldDigest(charged), ...report },
  }
}

/** A surface that cannot be read lists nothing, and so disagrees about every good. */
function readSurface(path: Surface, text: string): Said[] {
  try {
    return READERS[path](text)
  } catch {
    return []
  }
}

/** The text of each surface, or the part of it that names prices. */
export function surfaceTexts(facts: Facts): Record<Surface, string> {
  const others: Partial<Record<string, () => unknown>> = {
    '/agent-store.json': () => agentStore(facts, openingSaleRecord(false, { fulfilled: 0, reserved: 0 })),
    '/catalog': () => catalog.data?.(facts),
    '/commerce': () => commerce.data?.(facts),
    '/mcp': () => ({
      tools: [...facts.goods.map((good) => paidTool(good, facts.terms.network)), ...FREE_TOOLS].map(
        ({ listed }) => listed,
      ),
    }),
  }
  return Object.fromEntries(
    SURFACES.map((path) => {
      const fixed = DOCUMENTS.find((document) => document.path === path)
      return [path, fixed === undefined ? JSON.stringify(others[path]?.()) : String(fixed.text(facts))]
    }),
  ) as Record<Surface, string>
}
