import { OUTCOMES } from './outcomes.ts'

/** The help text. Exit codes come from the table, so that they cannot differ from what happens. */
export const USAGE = `Buys one answer with the stock x402 client and checks everything that can be checked.

  ./ops/buy <path | SKU | URL> [options]

  ./ops/buy /x402/v1/spread --q "fed rate"       from the sandbox that runs here, with its test money
  ./ops/buy SKU_AG_PING_01 --param echo=hello
  ./ops/buy https://example.com/x402/v1/spread --key-file wallet.key --rpc https://…

What to buy
  --q TEXT            the same as --param q=TEXT
  --param NAME=VALUE  a query parameter; may be repeated
  --resume FILE       go on with a payment that was signed before: sends it again, signs nothing

From whom, with what
  --base URL          another service than the sandbox; needs --key-file
  --key-file FILE     private key that pays: 0x and 64 hex digits, readable by you only
  --data-dir DIR      DATA_DIR of the sandbox; default: the newest that runs
  --rpc URL           JSON-RPC of the chain, to see the transfer there; the sandbox's is known
  --max-usdc N        never pay more than this for one answer; default 1.00
  --timeout S         give up after this many seconds; default 90

Output
  --json              one JSON object on standard output and nothing else
  Colours only on a terminal; NO_COLOR is honoured.

A payment is signed once. When the answer is lost or settlement takes long, the same payment is sent again,
as the service asks with Retry-After; the service takes it at most once. It is kept in a file until its
outcome is known, so that --resume can fetch what was paid for.

Exit codes
${Object.values(OUTCOMES)
  .map(({ exitCode, means }) => `  ${exitCode}  ${means}`)
  .join('\n')}
`
