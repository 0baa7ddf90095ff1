import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { advanced } from '../../../api/pages/client/clock.ts'
import { ageWords, bandEnds } from '../../../api/pages/live/format.ts'
import { escapeMarkdown } from '../../../api/pages/live/markdown.ts'
import { someGap, someMover } from '../../support/boards.ts'
import { until } from '../../support/process.ts'
import { gapsBody, moversBody } from '../goods/support.ts'
import { type LiveWorld, lookAlike, MAX_AGE, NOW, refusalsBody, startLive } from '../live/world.ts'

const HOSTILE = [
  '<script>document.title="owned"</script>',
  '"><img src=x onerror=alert(1)>',
  `' onfocus=alert(1) autofocus='`,
  '</title></style></script><svg onload=alert(1)>',
  '\u202eright to left\u202c',
  '[link](javascript:alert(1)) | cell',
  'long '.repeat(100),
]

let world: LiveWorld
beforeAll(async () => {
  world = await startLive({
    gaps: gapsBody(HOSTILE.map((topic) => someGap({ topic, category: '<i>kind</i>' }))),
    movers: moversBody({ day: HOSTILE.map((topic) => someMover({ topic })) }),
    refusals: refusalsBody(HOSTILE.map((title) => lookAlike(title, 'javascript:alert(1)'))),
  })
  await until('samples are taken', async () => (await world.live()).movers.rows.length === HOSTILE.length)
})
afterAll(() => world.stop())

const page = (accept: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${world.base}/`, { method, headers: { accept, ...headers } })
const htmlOf = async () => (await page('text/html')).text()

describe('GET /: one URL, three forms', () => {
  test.each([
    ['text/html', 'text/html; charset=utf-8', /^<!doctype html>/],
    ['application/json', 'application/json', /^\{"ok":true,/],
    ['text/markdown', 'text/markdown; charset=utf-8', /^# Agent micro-data/],
  ])('%s', async (accept, type, begins) => {
    const answer = await page(accept)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(type)
    expect(answer.headers.get('vary')).toBe('accept')
    expect(await answer.text()).toMatch(begins)
    const head = await page(accept, {}, 'HEAD')
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, type, ''])
  })

  test('each form has a tag of its own', async () => {
    const tags = await Promise.all(
      ['text/html', 'application/json', 'text/markdown'].map(
        async (accept) => (await page(accept)).headers.get('etag')!,
      ),
    )
    expect(new Set(tags).size).toBe(3)
    expect((await page('text/html', { 'if-none-match': tags[0]! })).status).toBe(304)
    expect((await page('text/html', { 'if-none-match': tags[1]! })).status).toBe(200)
  })

  test('JSON is what /live.json says', async () => {
    expect(await (await page('application/json')).json()).toEqual(await world.live())
  })
})

describe('the page', () => {
  test('may load and do only what is its own, and nothing inline', async () => {
    const policy = (await page('text/html')).headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*|data:/)
    const html = await htmlOf()
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|<[^>]*\s(?:style|on\w+)=/i)
    expect(html).toContain('<link rel="canonical" href="http://127.0.0.1:8402/">') //  a name, nothing that is loaded
    const loads = /(?:src|<link(?! rel="canonical")[^>]*href)="([^"]+)"/g
    const loaded = [...html.matchAll(loads)].map(([, path]) => path!)
    expect(loaded.length).toBeGreaterThan(2)
    for (const path of loaded) {
      const answer = await fetch(world.base + path)
      expect([path, answer.status]).toEqual([path, 200])
      expect(answer.headers.get('cache-control')).toContain('immutable')
      const etag = answer.headers.get('etag')!
      expect((await fetch(world.base + path, { headers: { 'if-none-match': etag } })).status).toBe(304)
    }
  })

  test('links within the site only to what is served', async () => {
    const nav = /<nav[\s\S]*?<\/nav>/.exec(await htmlOf())![0]
    expect([...nav.matchAll(/href="([^"]+)"/g)].map(([, path]) => path)).toEqual(['/', '/history'])
  })

  test('has landmarks, one h1, no step left out below it', async () => {
    const html = await htmlOf()
    for (const tag of [
      '<header',
      '<nav aria-label',
      '<main id="main"',
      '<footer',
      'class="skip" href="#main"',
    ])
      expect(html).toContain(tag)
    const levels = [...html.matchAll(/<h(\d)/g)].map(([, level]) => Number(level))
    expect(levels.filter((level) => level === 1)).toEqual([1])
    expect(levels.every((level, at) => at === 0 || level - levels[at - 1]! <= 1)).toBe(true)
    expect(new Set(html.match(/ id="[^"]+"/g)).size).toBe(html.match(/ id="[^"]+"/g)!.length)
  })

  test('says without a script how old the data is, and that old data is not sold', async () => {
    world.clock.nowMs = NOW + MAX_AGE + 30_000
    await expect.poll(htmlOf, { timeout: 10_000 }).toMatch(/stale: not sold[\s\S]*2 min/)
    expect(await htmlOf()).toContain('stale_data')
    expect(await htmlOf()).toContain('unknown without fresh data')
    expect(await htmlOf()).not.toContain('at this moment')
    world.clock.nowMs = NOW
    await expect.poll(htmlOf, { timeout: 10_000 }).not.toContain('stale_data')
    expect(await htmlOf()).toContain('at this moment')
  })
})

describe('VEN-13 titles of venues are inert', () => {
  test('in HTML', async () => {
    const html = await htmlOf()
    expect(html).toContain('&lt;script&gt;document.title=')
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html).not.toMatch(/<img|<svg onload|<i>|\u202e|href="javascript/)
    expect(html).not.toContain('long '.repeat(40))
  })

  test.each([
    ['a | b', 'a \\| b'],
    ['[x](javascript:alert(1))', '\\[x\\]\\(javascript\\:alert\\(1\\)\\)'],
    ['<b>&', '\\<b\\>\\&'],
    ['U.S. by WWW.a.example', 'U.S. by WWW\\.a.example'], //  becomes a link without any sign around it
    ['`code` *bold* _it_ # !', '\\`code\\` \\*bold\\* \\_it\\_ \\# \\!'],
  ])('in markdown: %s', (title, line) => expect(escapeMarkdown(title)).toBe(line))

  test('every row of the markdown has its cells', async () => {
    const text = await (await page('text/markdown')).text()
    const rows = text.split('\n').filter((line) => /^\| .*cents/.test(line))
    expect(rows).toHaveLength(HOSTILE.length)
    for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(5)
  })
})

describe('figures for people', () => {
  test.each([
    [null, 'not read yet'],
    [0, '0 s'],
    [119_999, '119 s'],
    [120_000, '2 min'],
    [125_000, '2 min 5 s'],
    [7_199_000, '119 min 59 s'],
    [7_260_000, '2 h 1 min'],
  ])('an age of %s ms: %s', (ms, words) => expect(ageWords(ms)).toBe(words))

  test.each([
    ['5 to 10 cents', { from: 5, to: 10 }],
    ['-5 to 0 cents', { from: -5, to: 0 }],
    ['unknown', null],
    [null, null],
  ])('a band %s', (band, ends) => expect(bandEnds(band)).toEqual(ends))

  test('ages and the market clock run on at the market’s speed, an unread venue has none', () => {
    const clock = { now: new Date(NOW).toISOString(), speed: 60, ageMs: { a: 1_000, b: null } }
    expect(advanced(clock, 2_000)).toEqual({
      now: new Date(NOW + 120_000).toISOString(),
      speed: 60,
      ageMs: { a: 121_000, b: null },
    })
  })
})
