import { createHash } from 'node:crypto'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KEYS } from '../../../api/ledger/keys.ts'
import { LUA } from '../../../api/ledger/scripts.ts'
import { booksOf, digest, doEverything } from '../../support/everyStep.ts'
import { openLedger } from '../../support/ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

/** Every money script by its digest: a client sends the digest, or the script itself. */
const SCRIPTS = new Map(
  Object.entries(LUA).map(([name, lua]) => [createHash('sha1').update(lua).digest('hex'), { name, lua }]),
)

/** A proxy in front of a store: it loses the first reply to each script, after the store has run the script (E1). */
async function startLosing(store: TestRedis) {
  const lost = new Set<string>()
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(store.url.slice('unix:'.length))
    let isDeaf = false
    const end = () => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', end).on('close', end)
    }
    near.on('data', (piece) => {
      const text = piece.toString('latin1')
      for (const [digest, { name, lua }] of SCRIPTS)
        if ((text.includes(digest) || text.includes(lua)) && !lost.has(name)) {
          lost.add(name)
          isDeaf = true
        }
      far.write(piece)
    })
    far.on('data', (piece) => (isDeaf ? end() : near.write(piece)))
  })
  const path = join(store.dir, 'losing.sock')
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return {
    url: `unix:${path}`,
    lost,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('DATA-02, E1 the reply of every money script is lost once, and the client sends it again', () => {
  let stores: [TestRedis, TestRedis]
  let admins: [ReturnType<typeof openLedger>, ReturnType<typeof openLedger>]
  beforeAll(async () => {
    stores = await Promise.all([startRedis({ appendfsync: 'always' }), startRedis({ appendfsync: 'always' })])
    admins = [openLedger(stores[0].url), openLedger(stores[1].url)]
    for (const { redis } of admins) {
      await redis.set(KEYS.fence, '1')
      for (const { lua } of SCRIPTS.values()) await redis.script('LOAD', lua)
    }
  })
  afterAll(async () => {
    for (const admin of admins ?? []) admin.close()
    await Promise.all((stores ?? []).map((store) => store.stop()))
  })

  test('the books are those of a store whose replies all came', async () => {
    const losing = await startLosing(stores[0])
    const client = openLedger(losing.url)
    try {
      await doEverything(client)
      await doEverything(admins[1])
      expect([...losing.lost].sort()).toEqual([...SCRIPTS.values()].map(({ name }) => name).sort())
      const [lost, whole] = await Promise.all(admins.map(({ redis }) => booksOf(redis)))
      //  a number lost with its reply is drawn again: only the later of the two counts
      const checkout = `card:checkout:${digest('c')}`
      const drawn = /\["(?:asked|booked)","\d"\]/g
      for (const books of [lost!, whole!]) books[checkout] = books[checkout]!.replaceAll(drawn, '')
      expect(lost).toEqual(whole)
    } finally {
      client.close()
      await losing.stop()
    }
  })
})
