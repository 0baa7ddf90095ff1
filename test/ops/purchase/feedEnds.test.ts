import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Home, homeOf } from '../../../ops/purchase/kept/home.ts'
import { goodFeedTokens, keepToken } from '../../../ops/purchase/kept/tokens.ts'
import { HOUR } from '../../../ops/units.ts'
import { openTool } from './tool.ts'

const REVOKED = 'feed_token_revoked'

let tool: Awaited<ReturnType<typeof openTool>>
beforeAll(async () => {
  tool = await openTool()
})
afterAll(() => tool?.close())

/** A seller whose feed refuses the tokens that name a code, and takes all others. */
async function startFeed() {
  const asked: string[] = []
  const server = createServer(({ headers }, response) => {
    const token = String(headers['x-service-feed-token'])
    asked.push(token)
    const code = /^feed_refused_(.*)$/.exec(token)?.[1]
    if (code !== undefined) response.writeHead(401).end(JSON.stringify({ ok: false, code }))
    else if (headers.accept === 'text/event-stream') {
      const told = ['opened', token.endsWith('_cut') ? 'revoked' : 'heartbeat']
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(told.map((kind) => `event: ${kind}\ndata: {"kind":"${kind}"}\n\n`).join(''))
    } else
      response.end(
        JSON.stringify({ ok: true, lastEventId: '1-1', events: [{ kind: 'opened', topic: 'gaps' }] }),
      )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const home = homeOf(tool.dir)
  let hours = 9
  return {
    base,
    asked,
    /** Keeps tokens for it, the one that lasts longest first. */
    async keep(...tokens: string[]) {
      for (const token of tokens) await keepFeed(home, base, token, hours--)
    },
    kept: async () => (await goodFeedTokens(home, base, Date.now())).map(({ token }) => token),
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

const keepFeed = (home: Home, base: string, token: string, hours: number) =>
  keepToken(home, {
    kind: 'feed',
    base,
    token,
    header: 'X-Service-Feed-Token',
    url: `${base}/api/v1/alpha-feed`,
    expiresAt: new Date(Date.now() + hours * HOUR).toISOString(),
  })

test.each([
  [REVOKED, 3, true], //  works again once its payment is back
  ['feed_token_expired', 8, false],
  ['feed_token_unknown', 8, false],
])(
  'a feed that refuses the kept token as %s: exit code %d, still kept: %s',
  async (refusal, exit, isKept) => {
    const feed = await startFeed()
    const token = `feed_refused_${refusal}`
    await feed.keep(token)
    expect((await tool.run(['feed', '--base', feed.base])).code).toBe(exit)
    expect(await feed.kept()).toEqual(isKept ? [token] : [])
    await feed.close()
  },
)

describe('a revoked token does not stand in the way of a good one', () => {
  test.each([
    ['polled', []],
    ['followed', ['--follow', '--count', '1']],
  ] as const)('%s with the next kept token, and the revoked one stays kept', async (_, how) => {
    const feed = await startFeed()
    const tokens = [`feed_refused_${REVOKED}`, 'feed_good']
    await feed.keep(...tokens)
    const { code, stdout } = await tool.run(['feed', '--base', feed.base, ...how])
    expect([code, feed.asked]).toEqual([0, tokens])
    expect(stdout).toMatch(/opened/)
    expect(await feed.kept()).toEqual(tokens)
    await feed.close()
  })

  test('a stream that is revoked on the way ends: with another token its events would be told twice', async () => {
    const feed = await startFeed()
    await feed.keep('feed_good_cut', 'feed_good')
    const { code, stdout } = await tool.run(['feed', '--base', feed.base, '--follow'])
    expect([code, feed.asked]).toEqual([3, ['feed_good_cut']])
    expect(stdout.match(/opened/g)).toHaveLength(1)
    await feed.close()
  })

  test('--buy buys another one only when no other is good', async () => {
    const feed = await startFeed()
    await feed.keep(`feed_refused_${REVOKED}`)
    const noKey = ['--key-file', '/nowhere/wallet.key']
    const bought = await tool.run(['feed', '--base', feed.base, '--buy', 'day', ...noKey])
    expect(bought.stderr).toMatch(/wallet\.key/)
    await feed.keep('feed_good')
    expect((await tool.run(['feed', '--base', feed.base, '--buy', 'day', ...noKey])).code).toBe(0)
    await feed.close()
  })
})
