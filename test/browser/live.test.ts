import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { gapsBody, moversBody } from '../api/goods/support.ts'
import { type LiveWorld, lookAlike, MAX_AGE, MINUTE, refusalsBody, startLive } from '../api/live/world.ts'
import { someGap, someMover } from '../support/boards.ts'
import {
  barriers,
  contrasts,
  noBrowser,
  overflow,
  spaceText,
  startBrowser,
  type Watched,
  watchedPage,
} from '../support/browser.ts'
import { until } from '../support/process.ts'

const HOSTILE = [
  '<script>document.title="owned"</script>',
  '"><img src="https://evil.example/x.png" onerror="document.title=\'owned\'">',
  '\u202ereversed\u202c',
  `${'unbreakable'.repeat(45)}`,
  'مرحبا بالعالم',
]
const SOON = { timeout: 10_000 }
const PHONE = { viewport: { width: 360, height: 780 } }

/** Runs before the page's scripts: the time of day is wrong by as much as `away` says, and the steady clock goes on as it does. */
const AWAY = `(() => {
  const { Date: Day } = globalThis
  globalThis.away = 0
  globalThis.Date = class extends Day {
    constructor(...parts) { super(...(parts.length === 0 ? [Day.now() + away] : parts)) }
    static now() { return Day.now() + away }
  }
})()`

describe.skipIf(noBrowser !== null)(`the live board in Chromium ${noBrowser ?? ''}`, () => {
  let world: LiveWorld
  let browser: Browser
  let open: Watched[] = []
  beforeAll(async () => {
    world = await startLive({
      gaps: gapsBody([...HOSTILE.map((topic) => someGap({ topic })), someGap({ verdict: 'inverted' })]),
      movers: moversBody({ hour: HOSTILE.map((topic) => someMover({ topic })), day: [someMover()] }),
      refusals: refusalsBody(HOSTILE.map((title) => lookAlike(title))),
    })
    await world.tell({ atMs: world.clock.nowMs - 10 * MINUTE })
    await until('everything is shown', async () => {
      const { movers, ticker } = await world.live()
      return movers.rows.length > 0 && ticker.events.length > 0
    })
    browser = await startBrowser()
  })
  afterEach(async () => {
    for (const { page } of open) await page.close()
    open = []
  })
  afterAll(async () => {
    await browser?.close()
    await world?.stop()
  })

  const visit = async (options: Parameters<typeof watchedPage>[1] = {}, before?: string) => {
    const watched = await watchedPage(browser, options)
    open.push(watched)
    if (before !== undefined) await watched.page.addInitScript(before)
    await watched.page.goto(world.base)
    return watched
  }
  const live = async (options: Parameters<typeof watchedPage>[1] = {}, before?: string) => {
    const watched = await visit(options, before)
    const { page } = watched
    await expect.poll(() => page.textContent('#connection'), SOON).toBe('Live')
    return watched
  }

  test('is whole without a script', async () => {
    const { page } = await visit({ javaScriptEnabled: false })
    for (const id of ['venues', 'figures', 'gaps', 'movers', 'refused', 'ticker', 'goods'])
      expect([id, (await page.textContent(`#${id}`))!.trim().length > 20]).toEqual([id, true])
    expect(await page.locator('#gaps tbody tr').count()).toBe(HOSTILE.length + 1)
    expect(await page.textContent('#connection')).toContain('reload for newer')
  })

  test('with it, shows the same, asks nobody else and complains of nothing', async () => {
    const { page, requests, complaints } = await live()
    const served = await visit({ javaScriptEnabled: false })
    for (const id of ['gaps', 'movers', 'refused', 'ticker', 'goods', 'figures'])
      expect(await page.locator(`#${id}`).innerHTML()).toBe(await served.page.locator(`#${id}`).innerHTML())
    expect(requests.filter((url) => !url.startsWith(`${world.base}/`))).toEqual([])
    expect(requests).toContain(`${world.base}/live`)
    expect(complaints).toEqual([])
  })

  test('nothing moves on a phone when the script takes over, and drawing again adds no element', async () => {
    const { page } = await live(PHONE)
    const shifted = `new Promise((resolve) => {
      const watch = new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0)))
      watch.observe({ type: 'layout-shift', buffered: true })
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(0)))
    })`
    expect(await page.evaluate<number>(shifted)).toBeLessThan(0.01)
    const counts: number[] = []
    for (const pairs of [1_001, 1_002, 1_003]) {
      world.hold('gaps', { ...gapsBody([someGap()]), pairs, refused: { doubleheader: 2, limit: 1 } })
      await expect.poll(() => page.textContent('#figures'), SOON).toContain(`1,00${pairs % 10}`)
      counts.push(await page.evaluate<number>('document.querySelectorAll("*").length'))
    }
    expect(counts).toEqual(counts.map(() => counts[0]))
  })

  test('changes when a board does, without being asked for again', async () => {
    const { page, requests } = await live()
    const loads = () => requests.filter((url) => url === `${world.base}/`).length
    world.hold('gaps', { ...gapsBody([someGap()]), pairs: 4_321, refused: { doubleheader: 1_234 } })
    await expect.poll(() => page.textContent('#figures'), SOON).toContain('4,321')
    expect(await page.textContent('#refused')).toContain('Two games that day, and nothing says which')
    expect(loads()).toBe(1)
  })

  test('ages tick, and a venue that stops is shown as stale and not sold', async () => {
    const { page } = await live()
    const venue = (name: string) => page.textContent(`[data-venue=${name}]`)
    const age = () => page.textContent('[data-venue=a] .age')
    await expect.poll(age, SOON).toMatch(/^[1-9]\d* s$/) //  the market clock of this test stands still; the page's does not
    world.clock.nowMs += MAX_AGE + 1
    world.hold('gaps', gapsBody([someGap()]), {
      asOfMs: { a: world.clock.nowMs, b: world.clock.nowMs - MAX_AGE - 1 },
    })
    await expect.poll(() => venue('b'), SOON).toContain('stale: not sold')
    expect(await venue('a')).toContain('fresh')
    expect(await page.textContent('#selling')).toContain('stale_data')
    world.hold('gaps', gapsBody([someGap()]))
    await expect.poll(() => venue('b'), SOON).toContain('fresh')
  })

  test('says that the connection is lost and how old what it shows is, and comes back by itself', async () => {
    const { page } = await live()
    const connection = () => page.textContent('#connection')
    await world.close()
    await expect.poll(connection, SOON).toMatch(/^Connection lost, showing data of \d\d:\d\d:\d\d UTC\./)
    expect(await page.locator('#gaps tbody tr').count()).toBeGreaterThan(0)
    world.hold('gaps', { ...gapsBody([someGap()]), pairs: 777 })
    await world.open()
    await expect.poll(connection, { timeout: 20_000 }).toBe('Live')
    await expect.poll(() => page.textContent('#figures'), SOON).toContain('777')
  })

  test('a computer that slept: the page does not call young what it showed before, whatever time its visitor has', async () => {
    const { page } = await live({}, AWAY)
    await world.close()
    const connection = () => page.textContent('#connection')
    const time = new Date(world.clock.nowMs).toISOString().slice(11, 19)
    await expect.poll(connection, SOON).toContain('Connection lost')
    await page.evaluate(`away = ${4 * 60 * MINUTE}`)
    await expect.poll(() => page.textContent('[data-venue=a] .age'), SOON).toMatch(/^4 h/)
    expect(await page.textContent('[data-venue=a]')).toContain('stale: not sold')
    expect(await connection()).toContain(`showing data of ${time} UTC`)
    await world.open()
    await expect.poll(connection, { timeout: 20_000 }).toBe('Live')
    expect(await page.textContent('[data-venue=a]')).toContain('fresh')
  })

  test('a page that stood still does not believe what waited for it meanwhile: it asks anew', async () => {
    const noTicks = `${AWAY}; globalThis.setInterval = () => 0`
    const { page, requests } = await live({}, noTicks)
    const asked = () => requests.filter((url) => url === `${world.base}/live`).length
    expect(asked()).toBe(1)
    await page.evaluate(`away = ${10 * MINUTE}`)
    await expect.poll(asked, SOON).toBe(2) //  by a heartbeat: nothing else happens in this page
    world.hold('gaps', { ...gapsBody([someGap()]), pairs: 7_654 })
    await expect.poll(() => page.textContent('#figures'), SOON).toContain('7,654')
    expect([await page.textContent('#connection'), asked()]).toEqual(['Live', 2])
  })

  test('nor the first board, when the computer slept before it came', async () => {
    const watched = await watchedPage(browser)
    open.push(watched)
    const { page } = watched
    let asked = 0
    let wake = () => {}
    const asleep = new Promise<void>((resolve) => {
      wake = resolve
    })
    await page.addInitScript(`${AWAY}; globalThis.setInterval = () => 0`)
    await page.route('**/live', async (route) => {
      asked++
      await asleep
      await route.continue()
    })
    await page.goto(world.base)
    await expect.poll(() => asked, SOON).toBe(1)
    await page.evaluate(`away = ${10 * MINUTE}`)
    wake()
    await expect.poll(() => page.textContent('#connection'), SOON).toBe('Live')
    expect(asked).toBe(2)
  })

  test.each([
    ['phone, light', { ...PHONE, colorScheme: 'light' as const }],
    ['phone, dark', { ...PHONE, colorScheme: 'dark' as const }],
    ['desktop, light', { colorScheme: 'light' as const }],
    ['desktop, dark', { colorScheme: 'dark' as const }],
  ])('%s: nothing to scroll sideways, every text with a contrast of 4.5', async (_, options) => {
    const { page } = await live(options)
    const [wide, screen] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, innerWidth]',
    )
    expect(wide).toBeLessThanOrEqual(screen)
    const found = await contrasts(page)
    expect(found.length).toBeGreaterThan(50)
    expect(await barriers(page)).toEqual([])
    expect(found.filter(({ ratio }) => ratio < 4.5)).toEqual([])
    const scale = (await page.locator('#gaps .scale').first().boundingBox())!.width
    expect(scale > wide / 2).toBe('viewport' in options) //  a phone has rows of blocks, not columns
    const ground = await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
    expect(Number(/\d+/.exec(ground)![0]) < 128).toBe(options.colorScheme === 'dark')
  })

  test('fits the smallest screen, also with the distances in text that a reader chose', async () => {
    const { page } = await live({ viewport: { width: 320, height: 640 } })
    expect(await overflow(page)).toEqual([])
    await spaceText(page)
    expect(await overflow(page)).toEqual([])
  })

  test('VEN-13 hostile titles are text, once served and once drawn by the script', async () => {
    const { page, requests } = await live(PHONE)
    expect(await page.title()).toContain('Live board')
    expect(await page.locator('#movers img, #movers script, #refused img, #refused script').count()).toBe(0)
    expect(await page.textContent('#movers')).toContain('<script>document.title="owned"</script>')
    expect(requests.filter((url) => url.includes('evil'))).toEqual([])
    expect(await page.textContent('#movers')).not.toContain('\u202e')
  })

  test('whoever stands on a link by the keyboard stays on it when its part is drawn again', async () => {
    const { page } = await live()
    const link = page.locator('#refused .alike a').nth(3)
    await link.focus()
    world.hold('gaps', { ...gapsBody([someGap()]), pairs: 5_432, refused: { doubleheader: 5_432 } })
    await expect.poll(() => page.textContent('#refused'), SOON).toContain('5,432')
    const isThere = 'document.activeElement === document.querySelectorAll("#refused .alike a")[3]'
    expect(await page.evaluate(isThere)).toBe(true)
  })

  test('who reads, marks or clicks what stays the same is not disturbed by what changes beside it', async () => {
    const { page } = await live()
    const age = () => page.textContent('[data-venue=a] .age')
    await page.evaluate(`(() => {
      globalThis.read = document.querySelector('[data-venue=a] h3')
      globalThis.clicked = document.querySelector('#refused .alike a')
      getSelection().selectAllChildren(globalThis.read)
    })()`)
    const [before, marked] = [await age(), await page.evaluate<string>('String(getSelection())')]
    world.hold('gaps', { ...gapsBody([someGap()]), pairs: 6_543, refused: { doubleheader: 6_543 } })
    await expect.poll(() => page.textContent('#refused'), SOON).toContain('6,543')
    await expect.poll(age, SOON).not.toBe(before)
    expect(marked).toContain('Venue A')
    expect(await page.evaluate('String(getSelection())')).toBe(marked)
    expect(await page.evaluate('[read.isConnected, clicked.isConnected]')).toEqual([true, true])
    const served = await visit({ javaScriptEnabled: false })
    for (const id of ['gaps', 'movers', 'refused', 'ticker', 'goods', 'figures'])
      expect(await page.locator(`#${id}`).innerHTML()).toBe(await served.page.locator(`#${id}`).innerHTML())
  })

  test('a link that is pressed does not lead to what takes its place meanwhile', async () => {
    const { page } = await live()
    const link = page.locator('#refused .alike a').first()
    const shown = async (place: string) => {
      world.hold('refusals', refusalsBody([lookAlike('A question', `https://venue.example/${place}`)]))
      await expect.poll(() => link.getAttribute('href'), SOON).toContain(place)
    }
    await shown('pressed')
    await page.evaluate(`addEventListener('click', (event) => {
      event.preventDefault()
      globalThis.led = event.target.closest('a')?.href ?? 'nowhere'
    })`)
    await link.hover()
    await page.mouse.down()
    await shown('other')
    await page.mouse.up()
    expect(await page.evaluate('globalThis.led ?? "nowhere"')).toBe('nowhere')
    await link.click()
    expect(await page.evaluate('led')).toBe('https://venue.example/other')
    world.hold('refusals', refusalsBody(HOSTILE.map((title) => lookAlike(title))))
  })

  test('the keyboard comes past the navigation, and one sees where it is', async () => {
    const { page } = await live()
    await page.keyboard.press('Tab')
    const focused = () =>
      page.evaluate<string>('document.activeElement.className || document.activeElement.id')
    expect(await focused()).toBe('skip')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
    await page.keyboard.press('Enter')
    expect(await focused()).toBe('main')
  })
})
