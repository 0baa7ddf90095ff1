import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createResponseReader } from './responseReader.ts'

const fixed = (status: number, body: string) =>
  Buffer.from(`HTTP/1.1 ${status} X\r\nContent-Length: ${Buffer.byteLength(body)}\r\nA: b\r\n\r\n${body}`)
const chunked = (status: number, parts: string[]) =>
  Buffer.from(
    `HTTP/1.1 ${status} X\r\ntransfer-encoding: chunked\r\n\r\n${parts
      .map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`)
      .join('')}0\r\n\r\n`,
  )

const answer = fc.oneof(
  fc
    .tuple(fc.integer({ min: 200, max: 599 }), fc.string())
    .map(([status, body]) => ({ status, bytes: fixed(status, body) })),
  fc
    .tuple(fc.integer({ min: 200, max: 599 }), fc.array(fc.string({ minLength: 1 })))
    .map(([status, parts]) => ({ status, bytes: chunked(status, parts) })),
)

describe('answers are read as they are, in whatever pieces they come', () => {
  test('one after the other, cut anywhere: each is complete exactly with its last byte', () => {
    const cuts = fc.array(fc.nat(400))
    fc.assert(
      fc.property(fc.array(fc.tuple(answer, cuts), { minLength: 1, maxLength: 6 }), (answers) => {
        const read = createResponseReader()
        for (const [{ status, bytes }, places] of answers) {
          const ends = [...new Set([...places.filter((at) => at > 0 && at < bytes.length), bytes.length])]
          let start = 0
          for (const end of ends.sort((a, b) => a - b)) {
            const piece = Buffer.from(bytes.subarray(start, end))
            const done = read(piece)
            piece.fill(0) //  the socket reuses its memory
            expect(done).toEqual(end === bytes.length ? { status, bytes: bytes.length } : null)
            start = end
          }
        }
      }),
    )
  })

  test('as long as the one before, and not whole yet: it says another length', () => {
    const read = createResponseReader()
    const [short, long] = [fixed(200, 'abc'), fixed(200, 'abcd')]
    expect(read(short)).toEqual({ status: 200, bytes: short.length })
    expect(read(long.subarray(0, short.length))).toBeNull()
    expect(read(long.subarray(short.length))).toEqual({ status: 200, bytes: long.length })
  })

  test.each([
    ['no length', 'HTTP/1.1 200 OK\r\nA: b\r\n\r\n'],
    ['more than asked for', `${fixed(200, 'x')}HTTP/1.1`],
    ['no HTTP', 'SSH-2.0-x\r\n\r\n'],
  ])('%s is refused', (_, text) => {
    expect(() => createResponseReader()(Buffer.from(text))).toThrow()
  })
})
