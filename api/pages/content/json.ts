import { type Content, inWords, type Words } from './content.ts'

/** A page's content as data: tables as a list of rows by the names of their columns. */
export const contentJson = (content: Content) => ({
  lead: content.lead,
  sections: inWords(content).map((section) => ({ ...section, blocks: section.blocks.map(blockJson) })),
})

function blockJson(block: Words): object {
  if ('fold' in block) return { ...block.fold, blocks: block.fold.blocks.map(blockJson) }
  if (!('table' in block)) return block
  const { caption, head, rows } = block.table
  const named = rows.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at] ?? ''])))
  return { table: caption, rows: named }
}
