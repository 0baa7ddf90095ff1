import type { HistorySchema } from '../../engine/contract/history.ts'
import { ANALYST_BOUNDS } from '../../ops/analyst.ts'
import { capital } from '../letterCase.ts'
import type { Block, Content } from '../pages/content/content.ts'
import { contentHtml } from '../pages/content/html.ts'
import { contentMarkdown } from '../pages/content/markdown.ts'
import { html } from '../pages/html.ts'
import { document } from '../pages/shell.ts'
import { PLACES } from '../storefront/places.ts'
import { SERVICE_NAME } from '../storefront/service.ts'
import { EXAMPLE_QUERIES } from './queries.ts'

const MIB = 1024 * 1024
const TITLE = 'History for analysts'

/** How to reach and export the tables; the operator of the service gives out the password. */
function access({ database }: HistorySchema) {
  return {
    protocol: 'ClickHouse HTTP',
    user: 'analyst',
    database,
    readOnly: true,
    bounds: ANALYST_BOUNDS,
    example: `curl "$CLICKHOUSE_URL/?user=analyst&password=$PASSWORD&database=${database}&param_day=2026-11-21" \\
  -d 'SELECT count() FROM gap_episodes WHERE toDate(opened_at) = {day:Date}'`,
    formats: 'Append FORMAT CSVWithNames, Parquet, JSONEachRow or any other of ClickHouse.',
  }
}

/** The schema page as JSON. Pure. */
export const historyJson = (schema: HistorySchema) => ({
  ok: true,
  access: access(schema),
  tables: schema.tables,
  queries: EXAMPLE_QUERIES,
})

/** The same page as markdown. Pure. */
export const historyMarkdown = (schema: HistorySchema): string =>
  contentMarkdown(historyContent(schema), TITLE, 'Read only.')

/** The same page for people. Pure. @param served every path there is. */
export const historyHtml = (
  schema: HistorySchema,
  { served, publicUrl }: { served: ReadonlySet<string>; publicUrl: string },
): string =>
  document({
    path: PLACES.history.path,
    title: `${TITLE} · ${SERVICE_NAME}`,
    description: 'Tables of quotes, gaps and what became of them, with example queries.',
    body: contentHtml(historyContent(schema), TITLE, html`<span class="pill">read only</span>`),
    served,
    url: `${publicUrl}${PLACES.history.path}`,
  }).text

function historyContent(schema: HistorySchema): Content {
  const { example, formats } = access(schema)
  const { seconds, memoryBytes, resultRows, queriesAtOnce, queriesPerHour } = ANALYST_BOUNDS
  return {
    lead: [
      'Quotes, gaps and what became of them, in ClickHouse. Instants are market clock unless a comment says otherwise. Prices are basis points of a dollar (1 = 0.0001).',
    ],
    sections: [
      {
        id: 'access',
        title: 'Access',
        blocks: [
          {
            p: `Read-only user \`analyst\`, database \`${schema.database}\`; the password comes from whoever runs this service. A query has ${seconds} s, ${memoryBytes / MIB} MiB and ${resultRows.toLocaleString('en-US')} rows of answer; ${queriesAtOnce} run at once, ${queriesPerHour.toLocaleString('en-US')} an hour. ${formats}`,
          },
          { code: example, language: 'sh', name: 'A query with a parameter' },
          {
            p: 'A busy day of `quotes` has more rows than one answer: ask for an hour at a time (`seen_at`), or run `npm run export`, which does so.',
          },
        ],
      },
      { id: 'tables', title: 'Tables', blocks: schema.tables.map(tableFold) },
      { id: 'queries', title: 'Ten queries', blocks: EXAMPLE_QUERIES.map(queryFold) },
    ],
  }
}

function tableFold({ name, kind, comment, retention, columns }: HistorySchema['tables'][number]): Block {
  const isSaid = retention === null || comment.includes(retention)
  const rows = columns.map((column) => [`\`${column.name}\``, `\`${column.type}\``, column.comment])
  return {
    fold: {
      id: `table-${name}`,
      heading: `\`${name}\``,
      note: `${capital(kind)}. ${comment}.${isSaid ? '' : ` Rows are removed after ${retention}.`}`,
      blocks:
        rows.length === 0
          ? [{ p: 'It has no columns of its own.' }]
          : [{ table: { caption: `Columns of ${name}`, head: ['Column', 'Type', 'Meaning'], rows } }],
    },
  }
}

function queryFold({ name, title, answers, params, sql }: (typeof EXAMPLE_QUERIES)[number]): Block {
  const list = Object.entries(params).map(([param, meaning]) => `Parameter \`${param}\`: ${meaning}.`)
  const code = { code: sql, language: 'sql' as const, name: title }
  return {
    fold: { id: name, heading: title, note: answers, blocks: list.length === 0 ? [code] : [{ list }, code] },
  }
}
