import { andThen } from '../andThen.ts'
import { CAPTURED_HEADERS, type Handler, type HttpRequest, type Reply } from '../http/exchange.ts'
import { SERVICE_NAME } from '../storefront/service.ts'
import { rows } from './client/try/show.ts'
import { decoded, type Required, termsOf, usdOf } from './client/try/terms.ts'
import type { Block, Content } from './content/content.ts'
import { contentHtml } from './content/html.ts'
import { type Html, html } from './html.ts'
import { asksForHtml } from './negotiate.ts'
import { document, FORM_TYPES, PAGE_POLICY } from './shell.ts'
import { tryPlace } from './tryPlace.ts'

type Problem = { title: string; code: string; detail?: string; next: string; didYouMean?: string }
type Said = { title: string; content: Content }

/**
 * Shows refusals to people as pages: same status and headers, the same words, and links to go on. A page with Retry-After
 * reloads by itself. Programs get the refusal unchanged; a caller counts as one unless it asks for HTML by GET or HEAD and
 * sends no payment, token or name.
 * @param paths every path that is served.
 */
export const withRefusalPages =
  (handler: Handler, paths: () => Iterable<string>): Handler =>
  (request) => {
    const reply = handler(request)
    if (!isForPerson(request)) return reply
    return andThen(reply, (said) => (said.status < 400 ? said : refusalPage(request, said, paths)))
  }

/** Headers that no browser sends by itself: payments, tokens, secrets and names. */
const OF_PROGRAMS = CAPTURED_HEADERS.filter((name) => /^(x-|payment-|idempotency-)/.test(name))

/** Some HTTP clients accept HTML by default, so the headers that only programs send decide too. */
const isForPerson = (request: HttpRequest): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') &&
  asksForHtml(request.header('accept')) &&
  OF_PROGRAMS.every((name) => request.header(name) === '')

function refusalPage(request: HttpRequest, reply: Reply, paths: () => Iterable<string>): Reply {
  const { status, headers, body } = reply
  const [[, type] = []] = headers
  if (type !== 'application/json' && type !== 'application/problem+json') return reply
  const problem = JSON.parse(String(body)) as Problem
  if (typeof problem.title !== 'string') return reply //  a refusal in the words of another protocol
  const headerOf = (wanted: string) => headers.find(([name]) => name === wanted)?.[1]
  const required = headerOf('payment-required')
  const again = headerOf('retry-after')
  const served = new Set(paths())
  const { title, content } =
    required !== undefined
      ? forSale(request.path, decoded(required) as Required, problem)
      : NOTHING_HERE.includes(problem.code)
        ? nothingHere(problem)
        : refused(problem, again !== undefined, served)
  const { text } = document({
    path: request.path,
    title: `${title} · ${SERVICE_NAME}`,
    description: title,
    body: contentHtml(
      content,
      title,
      html`<span class="pill">${status} ${problem.code}</span> <code>${request.method} ${request.path}</code>`,
    ),
    served,
  })
  const others = headers.filter(([name]) => name !== 'content-type')
  return {
    status,
    headers: [
      ['content-type', FORM_TYPES.html],
      ...others,
      ...(again === undefined ? [] : [['refresh', again] as const]),
      ['vary', 'accept'],
      ...PAGE_POLICY,
    ],
    body: text,
  }
}

const WAY_ON =
  'See the [catalog](/catalog) for what is sold, the [reference](/docs) for every path there is, or the [live board](/).'

/** Refusals met by somebody who types an address. */
const NOTHING_HERE: readonly string[] = ['not_found', 'method_not_allowed']

/** 404 and 405. Nothing that the caller sent appears in these words. */
const nothingHere = ({ title, code, didYouMean }: Problem): Said => ({
  title,
  content: {
    lead: [
      ...(didYouMean === undefined ? [] : [`Did you mean [${didYouMean}](${didYouMean})?`]),
      `${code === 'not_found' ? 'Paths are exact: capitals and slashes count.' : 'Programs send something to this address; a browser cannot open it.'} ${WAY_ON}`,
    ],
    sections: [],
  },
})

/** Any other refusal, in its own words, which may name a parameter. */
const refused = (
  { title, detail, next }: Problem,
  looksAgain: boolean,
  served: ReadonlySet<string>,
): Said => ({
  title,
  content: {
    lead: [...(looksAgain ? ['This page reloads by itself.'] : []), WAY_ON],
    sections: [
      {
        id: 'why',
        title: 'What to do',
        blocks: [
          { widget: html`${detail !== undefined && html`<p>${detail}</p>`}<p>${linked(next, served)}</p>` },
        ],
      },
    ],
  },
})

/** A path inside a text, except one after `POST`, which only programs can use. */
const PATH = /((?<=^|[ (])(?<!POST )\/[\w./-]*[\w-])/

/** A text in which every path that is served is a link. */
const linked = (text: string, served: ReadonlySet<string>): Html[] =>
  text.split(PATH).map((part) => (served.has(part) ? html`<a href="${part}">${part}</a>` : html`${part}`))

/** 402: the terms as a program gets them, and links for a person. */
function forSale(path: string, required: Required, body: Problem): Said {
  const price = usdOf(required.accepts[0]?.amount ?? '0')
  const asJson = (name: string, value: unknown): Block => ({
    code: JSON.stringify(value, null, 2),
    language: 'json',
    name,
  })
  return {
    title: `This read costs ${price} USD`,
    content: {
      lead: [
        `It is sold to programs: they sign these terms and send the same GET again. [Try it](${tryPlace(path)}) step by step in the catalog, or [run an example](/quickstart).`,
      ],
      sections: [
        { id: 'terms', title: 'The terms', blocks: [{ widget: rows(termsOf(required)) }] },
        {
          id: 'bytes',
          title: 'As a program sees them',
          blocks: [asJson('`PAYMENT-REQUIRED`, decoded', required), asJson('The body', body)],
        },
      ],
    },
  }
}
