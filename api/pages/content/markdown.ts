import { type Content, inWords, type Table, type Words } from './content.ts'

/** A page's content for agents that read text: what the HTML says, in the same order. */
export function contentMarkdown(content: Content, title: string, status: string): string {
  const parts = [
    `# ${title}`,
    ...content.lead,
    status,
    ...inWords(content).flatMap((section) => [
      `## ${section.title}`,
      ...section.blocks.flatMap(blockMarkdown),
    ]),
  ]
  return `${parts.join('\n\n')}\n`
}

function blockMarkdown(block: Words): string[] {
  if ('p' in block) return [block.p]
  if ('note' in block) return [block.note]
  if ('heading' in block) return [`### ${block.heading}`]
  if ('fold' in block)
    return [
      `### ${block.fold.heading}`,
      `${block.fold.note.replace(/\.$/, '')}.`,
      ...block.fold.blocks.flatMap(blockMarkdown),
    ]
  if ('list' in block) return [block.list.map((text) => `- ${text}`).join('\n')]
  if ('steps' in block) return [block.steps.map((text, at) => `${at + 1}. ${text}`).join('\n')]
  if ('table' in block) return [block.table.caption, tableMarkdown(block.table)]
  return [block.name, `\`\`\`${block.language}\n${block.code}\n\`\`\``]
}

const tableMarkdown = ({ head, rows }: Table): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n')

const cell = (text: string): string => text.replaceAll('|', '\\|')
