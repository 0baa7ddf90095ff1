import type { Good } from '../../goods/good.ts'
import { spread } from '../../goods/market/spread.ts'
import type { Facts } from '../../storefront/facts.ts'
import { nameOf } from '../../storefront/prose.ts'
import { type Html, html } from '../html.ts'
import { SANDBOX_SIGN_PATH } from '../sandboxSign.ts'
import { tryId } from '../tryPlace.ts'
import { byCollection, collectionTitle, money } from './prices.ts'

/**
 * Asks for the terms of a read, shows them decoded, and where a test wallet is served (sandbox only) buys with it. All
 * parameters are on the page; the script shows those of the chosen read.
 */
export function tryBox(facts: Facts, served: ReadonlySet<string>): Html {
  const buys = served.has(SANDBOX_SIGN_PATH)
  const groups = [...byCollection(facts)]
    .map(([name, offered]) => ({
      label: collectionTitle(name),
      goods: offered.flatMap(({ good }) => (good === null ? [] : [good])),
    }))
    .filter(({ goods }) => goods.length > 0)
  const chosen = facts.goods.find(({ sku }) => sku === spread.sku) ?? facts.goods[0]
  return html`<form id="try-box" class="panel" aria-labelledby="h-try">
<p>${
    buys
      ? 'See the terms of a read, pay them with a test wallet of this sandbox, and check the receipt: the steps a program takes. The money is play money.'
      : 'See the terms of a read as a program sees them. To pay, use a wallet: the examples show how.'
  }</p>
<p class="field"><label for="good">Read</label><select id="good" name="good">${groups.map(
    ({ label, goods }) =>
      html`<optgroup label="${label}">${goods.map((good) => optionOf(good, chosen))}</optgroup>`,
  )}</select></p>
${facts.goods.map((good) => parametersOf(good, chosen))}
<p class="actions"><button type="submit">Ask for the price</button>${
    buys && html` <button type="button" id="buy" disabled>Sign and pay</button>`
  }</p>
<p id="told" class="note" role="status"></p>
<div id="asked" class="step"></div>
<div id="bought" class="step"></div>
<noscript><p class="note">This box needs JavaScript. Everything it does is in the quickstart.</p></noscript>
</form>
`
}

const optionOf = (good: Good<unknown>, chosen: Good<unknown> | undefined): Html =>
  html`<option value="${good.path}"${good === chosen && html` selected`}>${good.title}, ${money(good.priceMicroUsdc)}</option>`

/** Fields of one read; hidden unless it is chosen. Filled in so that it can be bought without changes. */
function parametersOf(good: Good<unknown>, chosen: Good<unknown> | undefined): Html {
  const isAnyNeeded = !good.input.safeParse({}).success
  return html`<div class="fields" id="${tryId(good.path)}" data-path="${good.path}"${good !== chosen && html` hidden`}>${good.parameters.map(
    ({ name, required, description, example }, at) => {
      const isFilled = required || (isAnyNeeded && at === 0)
      const id = `${nameOf(good)}-${name}`
      return html`<p class="field"><label for="${id}">${name} <small>${description}${!required && ' (optional)'}</small></label><input id="${id}" name="${name}" value="${isFilled ? example : ''}" placeholder="${example}" autocomplete="off" spellcheck="false"></p>`
    },
  )}</div>
`
}
