import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { FEED, someEvent, TOKEN, tell, toldCard } from '../../support/feed.ts'
import { feedWorld } from '../../support/feedWorld.ts'
import { until } from '../../support/process.ts'

const world = feedWorld()

/** More than the system's buffers and the bound together: 16 MB. */
const EVENTS = 800
const big = someEvent({ card: toldCard({ topic: 'x'.repeat(20_000) }) })

test('HTTP-18 a slow reader is told and dropped, a fast one gets everything, and the slow one resumes without loss', async () => {
  const feed = await world.start()
  const fast = await world.open(feed)
  const slow = connect(feed.port, '127.0.0.1', () =>
    slow.write(
      `GET ${FEED} HTTP/1.1\r\nhost: a\r\naccept: text/event-stream\r\nx-service-feed-token: ${TOKEN}\r\n\r\n`,
    ),
  )
  slow.pause()
  world.later(() => slow.destroy())
  await until('both read', () => feed.streams() === 2)

  const told: string[] = []
  for (let at = 0; at < EVENTS; at += 100)
    told.push(
      ...(await tell(
        world.redis,
        Array.from({ length: 100 }, () => big),
      )),
    )
  await fast.hears('everything', (heard) => heard.length === EVENTS + 1)
  expect(fast.heard.slice(1).map(({ id }) => id)).toEqual(told)

  await until('the slow one is told', async () => (await feed.sentAway('slow')) === 1)
  let text = ''
  slow.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  slow.resume()
  await until('it is sent away', () => feed.streams() === 1)
  await until('the end of the answer', () => text.endsWith('0\r\n\r\n'))
  const ids = [...text.matchAll(/^id: (\S+)$/gm)].map(([, id]) => id!)
  expect(text.match(/^event: \w+$/gm)?.at(-1)).toBe('event: slow')
  expect(ids.length).toBeLessThan(EVENTS)

  const back = await world.open(feed, { 'last-event-id': ids.at(-1)! })
  await back.hears('the rest', (heard) => heard.at(-1)?.id === told.at(-1))
  expect(back.heard[0]!.event).toBe('status')
  const heard = [...ids.slice(1), ...back.heard.slice(1).map(({ id }) => id)]
  expect(heard).toEqual(told)
})
