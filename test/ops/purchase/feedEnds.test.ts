import { afterAll, beforeAll, expect, test } from 'vitest'
import { homeOf } from '../../../ops/purchase/kept/home.ts'
import { goodFeedToken, keepToken } from '../../../ops/purchase/kept/tokens.ts'
import { HOUR } from '../../../ops/units.ts'
import { openTool } from './tool.ts'

let tool: Awaited<ReturnType<typeof openTool>>
beforeAll(async () => {
  tool = await openTool()
})
afterAll(() => tool?.close())

test.each([
  ['feed_token_revoked', 3, true], //  works again once its payment is back
  ['feed_token_expired', 8, false],
  ['feed_token_unknown', 8, false],
])(
  'a feed that refuses the kept token as %s: exit code %d, still kept: %s',
  async (refusal, exit, isKept) => {
    const body = JSON.stringify({ ok: false, code: refusal })
    const { base } = await tool.sell({ unpaid: { status: 401, headers: {}, body } })
    const home = homeOf(tool.dir)
    const expiresAt = new Date(Date.now() + HOUR).toISOString()
    await keepToken(home, {
      kind: 'feed',
      base,
      token: `feed_${refusal}`,
      header: 'X-Service-Feed-Token',
      url: `${base}/x402/v1/feed`, //  where the stand-in reacts
      expiresAt,
    })
    expect((await tool.run(['feed', '--base', base])).code).toBe(exit)
    expect((await goodFeedToken(home, base, Date.now())) !== null).toBe(isKept)
  },
)
