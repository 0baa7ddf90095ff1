import { DEEDS, type Deed, type Sale } from './book.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const safe = (text: string): string => text.replace(/[&<>"']/g, (char) => ESCAPES[char]!)

const WORDS: Record<Deed, string> = {
  pay: 'Pay',
  expire: 'Let it expire',
  refund: 'Refund (as the merchant)',
  dispute: 'Charge back (as the bank)',
  win: 'Dispute won',
  lose: 'Dispute lost',
}
const OFFERED: Record<Sale['status'], readonly Deed[]> = {
  open: ['pay', 'expire'],
  complete: ['refund', 'dispute', 'win', 'lose'],
  expired: [],
}

/** The page a person pays on. It takes no card number: there is no card. */
export function payPage(sale: Sale): string {
  const price = `${(sale.cents / 100).toFixed(2)} USD`
  const deeds = DEEDS.filter((deed) => OFFERED[sale.status].includes(deed))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Sandbox card checkout</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:30rem;margin:2rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem;margin:.25rem 0}</style>
</head>
<body>
<main>
<h1>Sandbox card checkout</h1>
<p>No real money, no real card: whoever presses Pay has paid.</p>
<p id="item">${safe(sale.title)}</p>
<p id="price">${price}</p>
<p id="state">${sale.status}${sale.payment?.refunded ? ', refunded' : ''}${sale.payment?.dispute ? `, dispute ${sale.payment.dispute.status}` : ''}</p>
${deeds.map((deed) => `<form method="post"><button name="deed" value="${deed}">${WORDS[deed]}</button></form>`).join('\n')}
<p><a id="back" href="${safe(sale.cancelUrl)}" rel="noreferrer">Back to the shop</a></p>
</main>
</body>
</html>
`
}
