import { capital } from '../../letterCase.ts'
import { type OpenApi, openApi } from '../../openapi/openApi.ts'
import type { Fold, Section, Words } from '../content/content.ts'
import { exampleOf, fieldRows, isReference, jsonText, type Operation, parameterRows } from './docsParts.ts'
import type { SitePage } from './sitePage.ts'

type Described = { method: string; path: string; operation: Operation }

/** The API reference, rendered from the OpenAPI document that programs read. */
export const docs: SitePage = {
  place: 'docs',
  description: 'Every operation: price, parameters, body, answers, an example of each.',
  content(facts) {
    const api = openApi(facts)
    const operations = operationsOf(api)
    return {
      lead: [
        'Made from [openapi.json](/openapi.json), which says the same to programs, with schemas. How to pay is in the [quickstart](/quickstart), what a refusal means is in [errors](/errors).',
      ],
      sections: api.tags.flatMap(({ name, description }) => {
        const members = operations.filter(({ operation }) => operation.tags.includes(name))
        return members.length === 0 ? [] : [sectionOf(name, description, members, api)]
      }),
    }
  },
  json: openApi,
}

const operationsOf = ({ paths }: OpenApi): Described[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

/** The text after the colon is for those who read on. */
function sectionOf(name: string, described: string, members: readonly Described[], api: OpenApi): Section {
  const [title = '', more] = described.split(': ')
  return {
    id: name,
    title,
    blocks: [
      ...(more === undefined ? [] : [{ note: `${capital(more)}.` }]),
      ...members.map((member) => ({ fold: operationFold(member, api) })),
    ],
  }
}

function operationFold({ method, path, operation }: Described, api: OpenApi): Fold {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation
  const own = parameters.flatMap((parameter) => (isReference(parameter) ? [] : [parameter]))
  const body = Object.values(requestBody?.content ?? {})[0]
  const example = exampleOf(responses['200'])
  const blocks = [
    ...(description === undefined ? [] : [{ p: description }]),
    ...tableOf('Parameters', ['Name', 'In', 'What', 'Example'], parameterRows(own)),
    ...tableOf(
      `Body: ${requestBody?.description ?? ''}`,
      ['Field', 'Type', 'What'],
      body === undefined ? [] : fieldRows(body.schema, api),
    ),
    ...(body?.example === undefined
      ? []
      : [{ code: jsonText(body.example), language: 'json' as const, name: `A body for ${path}` }]),
    { list: answerLines(responses) },
    ...(example === null
      ? []
      : [{ code: example, language: 'json' as const, name: `An answer from ${path}` }]),
  ]
  return { id: operationId, heading: `\`${method} ${path}\``, note: summary, blocks }
}

const tableOf = (caption: string, head: string[], rows: string[][]): Words[] =>
  rows.length === 0 ? [] : [{ table: { caption, head, rows } }]

/** Answers in the words of the document; refusals only by status, since the table of codes has their words. */
function answerLines(responses: Operation['responses']): string[] {
  const answers = Object.entries(responses).filter(([status]) => status !== 'default')
  const refused = answers.flatMap(([status, answer]) => (isReference(answer) ? [`\`${status}\``] : []))
  return [
    ...answers.flatMap(([status, answer]) =>
      isReference(answer) ? [] : [`\`${status}\`: ${answer.description}`],
    ),
    ...(refused.length === 0 ? [] : [`Refused with ${refused.join(', ')}`]),
  ]
}
