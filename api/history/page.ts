import type { HistorySchema } from '../../engine/contract/history.ts'
import { ANALYST_BOUNDS } from '../../ops/analyst.ts'
import { EXAMPLE_QUERIES } from './queries.ts'

const MIB = 1024 * 1024

/** How the tables are reached and exported; the password comes from whoever runs the service. */
function access({ database }: HistorySchema) {
  return {
    protocol: 'ClickHouse HTTP',
    user: 'analyst',
    database,
    readOnly: true,
    bounds: ANALYST_BOUNDS,
    example: `curl "$CLICKHOUSE_URL/?user=analyst&password=$PASSWORD&database=${database}&param_day=2026-11-21" -d 'SELECT count() FROM gap_episodes WHERE toDate(opened_at) = {day:Date}'`,
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
export function historyMarkdown(schema: HistorySchema): string {
  const { example, formats } = access(schema)
  const { seconds, memoryBytes, resultRows, queriesAtOnce, queriesPerHour } = ANALYST_BOUNDS
  return [
    '# History for analysts',
    '',
    'Quotes, gaps and what became of them, in ClickHouse. Read-only user `analyst`, database ' +
      `\`${schema.database}\`; the password comes from whoever runs this service. A query has ${seconds} s, ` +
      `${memoryBytes / MIB} MiB and ${resultRows.toLocaleString('en-US')} rows of answer; ${queriesAtOnce} run at once, ` +
      `${queriesPerHour.toLocaleString('en-US')} an hour. ${formats}`,
    '',
    ...code('sh', example),
    'Instants are market clock unless a comment says otherwise. Prices are basis points of a dollar (1 = 0.0001).',
    '',
    '## Tables',
    '',
    ...schema.tables.flatMap(tableSection),
    '## Ten queries',
    '',
    ...EXAMPLE_QUERIES.flatMap(({ title, answers, params, sql }) => [
      `### ${title}`,
      '',
      answers,
      ...Object.entries(params).map(([name, meaning]) => `\nParameter \`${name}\`: ${meaning}.`),
      '',
      ...code('sql', sql),
    ]),
  ].join('\n')
}

function tableSection({
  name,
  kind,
  comment,
  retention,
  columns,
}: HistorySchema['tables'][number]): string[] {
  const kept = retention === null ? '' : ` Rows are removed after ${retention}.`
  return [
    `### ${name}`,
    '',
    `${capital(kind)}. ${comment}.${kept}`,
    '',
    ...(columns.length === 0
      ? []
      : [
          '| column | type | meaning |',
          '| --- | --- | --- |',
          ...columns.map(
            (column) => `| ${column.name} | \`${cell(column.type)}\` | ${cell(column.comment)} |`,
          ),
          '',
        ]),
  ]
}

const code = (language: string, text: string): string[] => [`\`\`\`${language}`, text, '```', '']
const cell = (text: string): string => text.replaceAll('|', '\\|')
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
