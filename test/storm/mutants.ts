// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of our source
/**
 * A deliberate mistake in the money code (faults.md 5): the storm must notice each. Applied to a copy of the tree. Where a
 * second defence would make up for the first, both are taken away.
 */
export type Mutant = { name: string; edits: readonly { file: string; from: string; to: string }[] }

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'drop NX: a second claim of the same payment wins too',
    edits: [
      {
        file: 'api/ledger/commands/claim.lua',
        from: "local state = redis.call('HGET', KEYS[1], 'state')",
        to: 'local state = false',
      },
    ],
  },
  {
    name: 'unknown becomes 402: a claim that is being settled is refused',
    edits: [
      {
        file: 'api/payment/conclude.ts',
        from: "if (claim === null || claim.state === 'settling')",
        to: "if (claim === null || claim.state === 'settling') return sold.challenge('transfer_failed', sale.nowMs)\n  if (claim === null)",
      },
    ],
  },
  {
    name: 'no fingerprint: a payment buys whatever it is sent with',
    edits: [{ file: 'api/payment/fingerprint.ts', from: '      canonicalQuery(asked.query),\n', to: '' }],
  },
  {
    name: 'key by header: another spelling of a payment is another payment',
    edits: [
      {
        file: 'api/ledger/ledger.ts',
        from: '`auth:${payment.chainId}:${payment.asset}:${payment.authorization.from}:${payment.authorization.nonce}`',
        to: '`auth:${payment.chainId}:${payment.asset}:${payment.authorization.from}:${Math.random()}`',
      },
    ],
  },
  {
    name: 'release the claim when settling fails to answer',
    edits: [
      {
        file: 'api/payment/conclude.ts',
        from: 'return await conclude(await ports.settlement.settle(job, ports.settleWaitMs), sale)',
        to: "const settled = await ports.settlement.settle(job, ports.settleWaitMs)\n    if (settled === null || settled.state === 'settling') await ports.ledger.recordRefused(key, 'transfer_failed', 'refused')\n    return await conclude(settled, sale)",
      },
    ],
  },
  {
    name: 'no operation id: a spend of credit that is repeated is debited again',
    edits: [
      {
        file: 'api/payment/credit.ts',
        from: 'isNamed ? `named|${named}` : `${account}|${asks}`',
        to: 'randomUUID()',
      },
    ],
  },
  {
    name: 'check, then take: the calls of a pass are read before they are taken',
    edits: [
      {
        file: 'api/ledger/commands/spendCalls.lua',
        from: 'if lasts then taken = math.min(left, tonumber(ARGV[i])) end',
        to: 'if lasts and left > 0 then taken = tonumber(ARGV[i]) end',
      },
    ],
  },
  {
    name: 'the stored answer does not count: everybody composes his own',
    edits: [
      {
        file: 'api/ledger/commands/deliver.lua',
        from: "if held[2] then return { 'stored', held[2], held[3] } end",
        to: '',
      },
    ],
  },
  {
    name: 'the token stands in the ledger',
    edits: [
      {
        file: 'api/payment/answer.ts',
        from: 'body: issued.token === null ? body : body.replaceAll(issued.token, TOKEN_PLACE),',
        to: 'body,',
      },
    ],
  },
  {
    name: 'credit is booked when an answer is composed, and again when it is composed again',
    edits: [
      {
        file: 'api/ledger/commands/creditDeposit.lua',
        from: "if not done and ARGV[4] == 'book' then",
        to: 'if not done then',
      },
      {
        file: 'api/ledger/commands/creditPlace.lua',
        from: 'if booked[1] then return booked[1], booked[2], true end',
        to: '',
      },
    ],
  },
  {
    name: 'nobody answers what a dead process left',
    edits: [
      {
        file: 'api/worker/answerClaims.ts',
        from: "await ledger.list('undelivered', BATCH, nowMs - UNDELIVERED_AFTER_MS)",
        to: '[] as Claim[]',
      },
    ],
  },
  {
    name: 'key by transaction: two transfers in one transaction are one',
    edits: [
      {
        file: 'api/ledger/ledger.ts',
        from: '`tx:${chainId}:${tx}:log${logIndex}`',
        to: '`tx:${chainId}:${tx}:log${Math.min(logIndex, 0)}`',
      },
    ],
  },
  {
    name: 'legacy path without registry: a transfer pays whoever shows it',
    edits: [
      {
        file: 'api/ledger/commands/claimTransfer.lua',
        from: "if held[2] ~= ARGV[2] or held[3] ~= ARGV[3] then return 'bound' end",
        to: '',
      },
      {
        file: 'api/payment/legacy.ts',
        from: 'return isSame && known.paymentHash === said.paymentHash ? known : null',
        to: 'return known',
      },
    ],
  },
  {
    name: 'claim after settle: the money moves before anything is written',
    edits: [
      {
        file: 'api/payment/conclude.ts',
        from: 'const outcome = await ports.ledger.claim(',
        to: 'await ports.settlement.settle({ key, payment, offer: sold.offer, listing: sold.listing, owner, retake: false }, ports.settleWaitMs)\n  const outcome = await ports.ledger.claim(',
      },
    ],
  },
  {
    name: 'deliver on local verify only: nobody waits for the money',
    edits: [
      {
        file: 'api/payment/conclude.ts',
        from: 'return await conclude(await ports.settlement.settle(job, ports.settleWaitMs), sale)',
        to: 'await ports.ledger.recordSettled(key, { tx: payment.authorization.nonce, logIndex: 0, blockNumber: 0n, blockMs: sale.nowMs }, ports.chainId)\n    return await conclude(await ports.ledger.find(key), sale)',
      },
    ],
  },
  {
    name: 'charge on refusal: what a request asks for is read when its money has moved',
    edits: [
      {
        file: 'api/payment/x402.ts',
        from: 'if (isProblem(order)) return problemReply(order)',
        to: 'if (isProblem(order)) {\n    const draft = { result: {}, snapshotVersion: null }\n    await claimAndSettle(termsOf({ input: null, creditTo: null }, { paid: null }, draft, sale), sale, null)\n    return problemReply(order)\n  }',
      },
    ],
  },
  {
    name: 'two instruments: one of them is used, whatever the request brings besides',
    edits: [
      {
        file: 'api/payment/gate.ts',
        from: "if (instruments - (binds && instruments > 1 ? 1 : 0) > 1) return { problem: 'two_payments' }",
        to: '',
      },
    ],
  },
  {
    name: 'permits have no outcome: a key that is sent again redeems again',
    edits: [
      {
        file: 'api/ledger/commands/spendCalls.lua',
        from: 'if kept then return cjson.decode(kept) end',
        to: '',
      },
    ],
  },
  {
    name: 'a call of a pass that has a name is taken and answered again',
    edits: [
      {
        file: 'api/ledger/commands/answerCall.lua',
        from: 'if kept() then return kept() end',
        to: '',
      },
    ],
  },
  {
    name: 'everysec: a power cut takes the last second, and nobody looks at the setting or at the age of the ledger',
    edits: [
      {
        file: 'ops/sandbox/redis/arguments.ts',
        from: "    appendfsync,\n    save: '',",
        to: "    appendfsync: 'everysec',\n    save: '',",
      },
      { file: 'api/ledger/durability.ts', from: "appendfsync: 'always',", to: '' },
      {
        file: 'api/ledger/marks.ts',
        from: "  if (witness !== 'away' && ledger.beat < witness.beat) return 'older'\n",
        to: '',
      },
    ],
  },
]
