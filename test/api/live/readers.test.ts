import { expect, test } from 'vitest'
import { createReaders, READERS_MAX, READERS_PER_ADDRESS, STUCK_MS } from '../../../api/live/readers.ts'

function openReaders() {
  const clock = { ms: 0, nowMs: () => clock.ms }
  const readers = createReaders({ clock, whole: () => 'whole;' })
  const join = (address: string) => {
    const wire = { waiting: 0, text: '', ends: 0, gone: () => {} }
    const sink = {
      write: (chunk: string | Uint8Array) => {
        wire.text += Buffer.from(chunk as Uint8Array).toString()
        return true
      },
      waiting: () => wire.waiting,
      onDrained: () => {},
      onClosed: (listener: () => void) => {
        wire.gone = listener
      },
      end: () => void wire.ends++,
    }
    readers.join(sink, address, 'hello;')
    return wire
  }
  return { clock, readers, join }
}

test('who takes nothing for thirty seconds is let go: his connection ends; who reads again in time gets the whole', () => {
  const { clock, readers, join } = openReaders()
  const [stuck, slow] = [join('a'), join('a')]
  for (const wire of [stuck, slow]) wire.waiting = 1
  readers.send('one;')
  clock.ms += STUCK_MS
  readers.send('two;')
  expect([stuck.ends, slow.ends, readers.count()]).toEqual([0, 0, 2])
  slow.waiting = 0
  clock.ms += 1
  readers.send('three;')
  expect([stuck.ends, slow.ends, readers.count()]).toEqual([1, 0, 1])
  readers.send('four;')
  expect([stuck.text, slow.text]).toEqual(['hello;whole;', 'hello;whole;whole;four;'])
})

test('the process stops: every connection ends', () => {
  const { readers, join } = openReaders()
  const [one, other] = [join('a'), join('b')]
  other.gone()
  readers.stop()
  expect([one.ends, other.ends, readers.count()]).toEqual([1, 0, 0])
})

test.each([
  ['one address', () => '203.0.113.7', '203.0.113.8'],
  [
    'one IPv6 /48, from as many networks',
    (at: number) => `2001:0db8:0000:${(at + 1).toString(16).padStart(4, '0')}:0000:0000:0000:0001`,
    '2001:0db8:0001:0001:0000:0000:0000:0001',
  ],
])('%s takes its places and no more; who leaves makes room', (_, addressOf, other) => {
  const { readers, join } = openReaders()
  const wires = Array.from({ length: READERS_PER_ADDRESS }, (_, at) => {
    expect(readers.hasRoom(addressOf(at))).toBe(true)
    return join(addressOf(at))
  })
  const next = addressOf(READERS_PER_ADDRESS)
  expect([readers.hasRoom(next), readers.hasRoom(other)]).toEqual([false, true])
  wires[3]!.gone()
  expect(readers.hasRoom(next)).toBe(true)
})

test('five addresses that take all places keep nobody out: the oldest of theirs end', () => {
  const { readers, join } = openReaders()
  const greedy = Array.from({ length: READERS_MAX }, (_, at) => join(`203.0.113.${at % 5}`))
  expect([readers.count(), readers.hasRoom('203.0.113.0'), readers.hasRoom('198.51.100.7')]).toEqual([
    READERS_MAX,
    false,
    true,
  ])
  const [ann, bob] = [join('198.51.100.7'), join('198.51.100.8')]
  expect(greedy.flatMap(({ ends }, at) => (ends > 0 ? [at] : []))).toEqual([0, 1])
  greedy[0]!.gone() //  its connection closes now: it has no place to give back
  expect([ann.ends, bob.ends, readers.count()]).toEqual([0, 0, READERS_MAX])
})
