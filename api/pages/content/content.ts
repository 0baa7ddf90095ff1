import type { Html } from '../html.ts'

/**
 * The content of a page, stated once: HTML, markdown and JSON are made from it. Texts are our own words with `code`,
 * [words](link) and **strong**; nothing from a buyer or a venue ever appears in one.
 */
export type Content = {
  lead: readonly string[]
  sections: readonly Section[]
}

export type Section = { id: string; title: string; blocks: readonly Block[] }

export type Block =
  | { p: string }
  | { note: string }
  | { heading: string; id?: string }
  | { fold: Fold } //      closed until somebody opens it
  | { list: readonly string[] }
  | { steps: readonly string[] }
  | { table: Table }
  | { code: string; language: CodeLanguage; name: string }
  | { widget: Html } //  for people only: what needs a script to be of use

/** One entry of a long list: its line, and what unfolds from it. */
export type Fold = { id: string; heading: string; note: string; blocks: readonly Words[] }

/** The blocks that are made of words. */
export type Words = Exclude<Block, { widget: Html }>

/** A page for readers without a screen: no widgets, and no sections that hold nothing else. */
export const inWords = ({ sections }: Content): (Section & { blocks: Words[] })[] =>
  sections
    .map((section) => ({
      ...section,
      blocks: section.blocks.filter((block): block is Words => !('widget' in block)),
    }))
    .filter(({ blocks }) => blocks.length > 0)

/** The first column names the row. `ids`: a place to link to, one for each row. `name`: tables of one name have columns alike. */
export type Table = {
  name?: 'sold'
  caption: string
  head: readonly string[]
  rows: readonly (readonly string[])[]
  ids?: readonly string[]
}

export type CodeLanguage = 'sh' | 'ts' | 'python' | 'json' | 'sql'
