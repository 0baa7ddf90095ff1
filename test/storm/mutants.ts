// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of our source
/** A deliberate mistake in the money code (faults.md 5): the storm must notice each. Applied to a copy of the tree. */
export type Mutant = { name: string; file: string; from: string; to: string }

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'drop NX: a second claim of the same payment wins too',
    file: 'api/ledger/commands/claim.lua',
    from: "local state = redis.call('HGET', KEYS[1], 'state')",
    to: 'local state = false',
  },
  {
    name: 'unknown becomes 402: a claim that is being settled is refused',
    file: 'api/payment/x402.ts',
    from: "if (claim === null || claim.state === 'settling')",
    to: "if (claim === null || claim.state === 'settling') return sold.challenge('transfer_failed', nowMs)\n  if (claim === null)",
  },
  {
    name: 'no fingerprint: a payment buys whatever it is sent with',
    file: 'api/payment/fingerprint.ts',
    from: '      canonicalQuery(asked.query),\n',
    to: '',
  },
  {
    name: 'key by header: another spelling of a payment is another payment',
    file: 'api/ledger/ledger.ts',
    from: '`auth:${payment.chainId}:${payment.asset}:${payment.authorization.from}:${payment.authorization.nonce}`',
    to: '`auth:${payment.chainId}:${payment.asset}:${payment.authorization.from}:${Math.random()}`',
  },
  {
    name: 'release the claim when settling fails to answer',
    file: 'api/payment/x402.ts',
    from: 'return await conclude(await ports.settlement.settle(job, ports.settleWaitMs), sale)',
    to: "const settled = await ports.settlement.settle(job, ports.settleWaitMs)\n    if (settled === null || settled.state === 'settling') await ports.ledger.recordRefused(key, 'transfer_failed', 'refused')\n    return await conclude(settled, sale)",
  },
  {
    name: 'no operation id: a spend of credit that is repeated is debited again',
    file: 'api/payment/credit.ts',
    from: "const operation = idempotencyKey === '' ? randomUUID() : `${holder.account}|${idempotencyKey}`",
    to: 'const operation = randomUUID()',
  },
  {
    name: 'check, then take: the calls of a pass are read before they are taken',
    file: 'api/ledger/commands/spendCalls.lua',
    from: 'if expires > now then taken = math.min(left, tonumber(ARGV[i])) end',
    to: 'if expires > now and left > 0 then taken = tonumber(ARGV[i]) end',
  },
  {
    name: 'the stored answer does not count: everybody composes his own',
    file: 'api/ledger/commands/deliver.lua',
    from: "if held[2] then return { 'stored', held[2], held[3] } end",
    to: '',
  },
  {
    name: 'the token stands in the ledger',
    file: 'api/payment/answer.ts',
    from: 'body: issued.token === null ? body : body.replaceAll(issued.token, TOKEN_PLACE),',
    to: 'body,',
  },
  {
    name: 'credit is booked again when an answer is composed again',
    file: 'api/ledger/commands/creditDeposit.lua',
    from: 'if lot[1] then return { lot[1], lot[2] } end',
    to: '',
  },
  {
    name: 'nobody answers what a dead process left',
    file: 'api/worker/reconcile.ts',
    from: "await ledger.list('undelivered', BATCH, nowMs - UNDELIVERED_AFTER_MS)",
    to: '[] as Claim[]',
  },
]
