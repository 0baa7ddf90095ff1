import { html } from '../../html.ts'
import { type Browser, elementOf, type Watched } from '../dom.ts'
import { findingsHtml } from '../receipt/findings.ts'
import { type Answered, ask, type Bought, type Payment, send, sign, type Terms } from './buy.ts'
import { json, refusal, rows, unfold } from './show.ts'
import { signedOf, termsOf, usdOf } from './terms.ts'

/* The try-it box: asks, shows the terms, and where the sandbox has a test wallet pays and checks the receipt. */

const { addEventListener, location } = globalThis as unknown as Browser

const PAY = 'Sign and pay'
const SEND_AGAIN = 'Send the same payment again'

const form = elementOf('try-box')
const good = elementOf('good')
const asked = elementOf('asked')
const bought = elementOf('bought')
const told = elementOf('told')
const [payButton = null] = form.querySelectorAll('#buy')
const groups = [...form.querySelectorAll('.fields')]

let terms: Terms | null = null
const unsettled = new Map<string, Payment>() //  by URL: signed and sent, outcome unknown; kept whatever is asked next
let paying = false
let turn = 0 //  number of the question: an answer to one that has changed meanwhile is not shown

const fieldsOf = (group: Watched) => [...group.querySelectorAll('input')]

function urlOf(): string {
  const group = groups.find(({ dataset }) => dataset.path === good.value)
  const query = (group === undefined ? [] : fieldsOf(group))
    .filter(({ value }) => value !== '')
    .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)
  return query.length === 0 ? good.value : `${good.value}?${query.join('&')}`
}

const tell = (words: string): void => {
  told.textContent = words
}

/** Shows what can be done now. While a payment is under way its question is fixed, and the button keeps the focus. */
function showState(): void {
  for (const control of form.querySelectorAll('select, input, button[type=submit]')) control.disabled = paying
  if (payButton === null) return
  payButton.disabled = false
  payButton.setAttribute('aria-disabled', String(paying || terms === null))
  const isWaiting = terms !== null && unsettled.has(terms.url) && !paying
  payButton.textContent = isWaiting ? SEND_AGAIN : PAY
}

/** Terms belong to one request: after a change of the form they have to be asked for again. */
function forget(): void {
  terms = null
  turn++
  tell('')
  asked.innerHTML = ''
  bought.innerHTML = ''
  showState()
}

function choose(): void {
  for (const group of groups) group.hidden = group.dataset.path !== good.value
  forget()
}

/** A link to `#try-spread` already selects its read. */
function chooseLinked(): void {
  const linked = groups.find(({ id }) => `#${id}` === location.hash)
  if (linked === undefined) return
  good.value = linked.dataset.path ?? good.value
  choose()
  elementOf('try').scrollIntoView()
}

async function showTerms(): Promise<void> {
  forget()
  const mine = turn
  tell('Asking.')
  const answer = await ask(urlOf())
  if (mine !== turn) return
  if (!('required' in answer)) return showRefusal(asked, answer)
  terms = answer
  const { url, required } = answer
  asked.innerHTML =
    html`<h3>402: the terms of <code>GET ${url}</code></h3>${rows(termsOf(required))}${unfold('PAYMENT-REQUIRED, decoded', required)}`.text
  tell(`It costs ${usdOf(required.accepts[0]!.amount)} USD.`)
  showState()
}

async function pay(agreed: Terms): Promise<void> {
  bought.innerHTML = ''
  tell('Signing.')
  const payment = unsettled.get(agreed.url) ?? (await sign(agreed))
  if (!('header' in payment)) return showRefusal(bought, payment)
  const answer = await send(payment, tell)
  if (answer === null || answer.status === 503) {
    unsettled.set(payment.url, payment)
    if (answer !== null) showRefusal(bought, answer)
    return tell('No final answer yet. Send the same payment again: it is never taken twice.')
  }
  terms = null
  unsettled.delete(payment.url)
  if (!('findings' in answer)) return showRefusal(bought, answer)
  showBought(payment, answer)
}

function showRefusal(place: Watched, { status, body }: Answered): void {
  place.innerHTML = refusal(status, body).text
  tell(`Refused with ${status}.`)
}

function showBought({ url, payload }: Payment, { body, paymentResponse, findings }: Bought): void {
  const { paymentAttestation, ...result } = body.result as { paymentAttestation: { attestationId: string } }
  bought.innerHTML = html`<h3>Signed</h3>${rows(signedOf(payload))}${unfold('What was signed', payload)}
<h3>200: the answer to <code>GET ${url}</code></h3>${json('The answer', result)}${unfold('PAYMENT-RESPONSE, decoded', paymentResponse)}
<h3>The receipt</h3>${findingsHtml('Checked in this browser', findings)}${unfold('The receipt', paymentAttestation)}
<p class="note"><a href="/receipts/${paymentAttestation.attestationId}">The page of this receipt</a>, for whoever has its address.</p>`.text
  tell('Paid and answered. To buy again, ask again.')
}

const noAnswer = (): void => tell('The service does not answer. Try again.')

form.addEventListener('submit', (event) => {
  event.preventDefault()
  showTerms().catch(noAnswer)
})
good.addEventListener('change', choose)
for (const field of groups.flatMap(fieldsOf)) field.addEventListener('input', forget)
payButton?.addEventListener('click', () => {
  if (terms === null || paying) return
  paying = true
  showState()
  pay(terms)
    .catch(noAnswer)
    .finally(() => {
      paying = false
      showState()
    })
})
choose()
chooseLinked()
addEventListener('hashchange', chooseLinked)
