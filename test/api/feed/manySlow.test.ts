import { expect, test } from 'vitest'
import { FEED, sellToken, someEvent, tell, toldCard } from '../../support/feed.ts'
import { feedWorld } from '../../support/feedWorld.ts'
import { until } from '../../support/process.ts'
import { headOf, openRaw } from '../../support/rawHttp.ts'

const world = feedWorld()
const MIB = 1024 * 1024
const SLOW = 1_000
/** Half as much again as a reader may be behind. */
const EVENTS = 320
const big = someEvent({ card: toldCard({ topic: 'x'.repeat(20_000) }) })

test('HTTP-18 a thousand slow readers cost their places in the feed, not its text; a fast one gets everything meanwhile', async () => {
  const feed = await world.start()
  const fast = await world.open(feed)
  for (let opened = 0; opened < SLOW; opened += 100)
    await Promise.all(
      Array.from({ length: 100 }, async (_, at) => {
        const token = `feed_of-${opened + at}`
        await sellToken(world.redis, token, Date.now() + 3_600_000)
        const { socket } = await openRaw(feed.base)
        socket.pause()
        socket.write(headOf(FEED, { accept: 'text/event-stream', 'x-service-feed-token': token }))
        world.later(() => socket.destroy())
      }),
    )
  await until('all read', () => feed.streams() === SLOW + 1, 15_000)
  const before = process.memoryUsage.rss()
  let most = before
  const look = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 20)
  world.later(() => clearInterval(look))
  for (let at = 0; at < EVENTS; at += 40)
    await tell(
      world.redis,
      Array.from({ length: 40 }, () => big),
    )
  await fast.hears('everything', (heard) => heard.length === EVENTS + 1)
  await until('the slow ones are told', async () => (await feed.sentAway('slow')) === SLOW)
  //  each is behind by 6 MiB of text; below the feed, the server keeps a piece of 64 KiB for each
  expect((most - before) / MIB).toBeLessThan(400)
})
