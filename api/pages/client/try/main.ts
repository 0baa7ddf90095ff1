import { html } from '../../html.ts'
import { elementOf, type Watched } from '../dom.ts'
import { findingsHtml } from '../receipt/findings.ts'
import { type Answered, ask, buy } from './buy.ts'
import { json, refusal, rows, unfold } from './show.ts'
import { type Required, termsOf, usdOf } from './terms.ts'

/* The try-it box: asks, shows the terms, and where the sandbox has a test wallet pays and checks the receipt. */

const form = elementOf('try-box')
const good = elementOf('good')
const asked = elementOf('asked')
const bought = elementOf('bought')
const told = elementOf('told')
const [payButton = null] = form.querySelectorAll('#buy')
const groups = [...form.querySelectorAll('.fields')]

let terms: { url: string; required: Required } | null = null
let turn = 0 //  of asking: an answer to a question that was changed meanwhile is not shown

const fieldsOf = (group: Watched) => [...group.querySelectorAll('input')]

function urlOf(): string {
  const group = groups.find(({ dataset }) => dataset.path === good.value)
  const query = (group === undefined ? [] : fieldsOf(group))
    .filter(({ value }) => value !== '')
    .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)
  return query.length === 0 ? good.value : `${good.value}?${query.join('&')}`
}

/** Terms belong to one request: whoever changes it asks again. */
function forget(): void {
  terms = null
  turn++
  told.textContent = ''
  asked.innerHTML = ''
  bought.innerHTML = ''
  if (payButton !== null) payButton.disabled = true
}

function choose(): void {
  for (const group of groups) group.hidden = group.dataset.path !== good.value
  forget()
}

function showRefusal(place: Watched, { status, body }: Answered): string {
  place.innerHTML = refusal(status, body).text
  return `Refused with ${status}.`
}

/** @returns what came of it, in a few words. */
async function showTerms(): Promise<string> {
  const url = urlOf()
  const mine = turn
  const answer = await ask(url)
  if (mine !== turn) return ''
  if (!('required' in answer)) return showRefusal(asked, answer)
  terms = { url, required: answer.required }
  asked.innerHTML =
    html`<h3>402: the terms of <code>GET ${url}</code></h3>${rows(termsOf(answer.required))}${unfold('PAYMENT-REQUIRED, decoded', answer.required)}`.text
  if (payButton !== null) payButton.disabled = false
  return `It costs ${usdOf(answer.required.accepts[0]!.amount)} USD.`
}

async function showBought({ url, required }: NonNullable<typeof terms>): Promise<string> {
  const answer = await buy(url, required)
  if (!('findings' in answer)) return showRefusal(bought, answer)
  const { body, paymentResponse, payload, findings } = answer
  const { paymentAttestation, ...result } = body.result as { paymentAttestation: unknown }
  bought.innerHTML =
    html`<h3>200: the answer to <code>GET ${url}</code></h3>${json('The answer', result)}<h3>The receipt</h3>${findingsHtml('Checked in this browser', findings)}${unfold('What was signed', payload)}${unfold('PAYMENT-RESPONSE, decoded', paymentResponse)}${unfold('The receipt', paymentAttestation)}`.text
  return 'Paid and answered. To buy again, ask again.'
}

/** One thing at a time; how it goes is said in one line, which a screen reader reads out. */
function run(words: string, work: () => Promise<string>): void {
  if (payButton !== null) payButton.disabled = true
  told.textContent = words
  work().then(
    (outcome) => {
      told.textContent = outcome
    },
    () => {
      told.textContent = 'The service does not answer. Try again.'
    },
  )
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  forget()
  run('Asking', showTerms)
})
good.addEventListener('change', choose)
for (const field of groups.flatMap(fieldsOf)) field.addEventListener('input', forget)
payButton?.addEventListener('click', () => {
  const agreed = terms
  if (agreed !== null) run('Signing, paying, waiting for the chain', () => showBought(agreed))
})
choose()
