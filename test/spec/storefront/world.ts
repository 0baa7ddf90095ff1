import type { Good } from '../../../api/goods/good.ts'
import { type NameServer, serveNames } from '../../../ops/sandbox/dns/server.ts'
import { ZONE } from '../../../ops/sandbox/dns/zone.ts'
import { cardsBody, moversBody, topicsBody } from '../../api/goods/support.ts'
import {
  snapshotOf,
  someBookRow,
  someCard,
  someEdge,
  someMover,
  someNet,
  someTopic,
} from '../../support/boards.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { startFacilitator, type TestFacilitator } from '../../support/facilitator.ts'
import { type Service, startService } from '../../support/service.ts'

const FIVE = [1, 2, 3, 4, 5]

/** Everything a stranger meets: one api process under its own address, on a chain, with something on every board. */
export type World = {
  chain: TestChain
  service: Service
  base: string
  stop(): Promise<void>
}

export async function startWorld(env: Record<string, string> = {}): Promise<World> {
  const chain = await startTestChain()
  let facilitator: TestFacilitator | undefined
  let service: Service | undefined
  let names: NameServer | undefined
  const stop = async () => {
    await service?.stop()
    await facilitator?.close()
    await names?.close()
    await chain.stop()
  }
  try {
    facilitator = await startFacilitator(chain)
    names = await serveNames({ zone: ZONE })
    service = await startService({
      chain,
      facilitatorUrl: facilitator.url,
      processes: 1,
      env: { DNS_RESOLVERS: `127.0.0.1:${names.port}`, ...env },
    })
    const { publish } = service
    await publish(snapshotOf('nets', { rows: [someNet()] }))
    await publish(snapshotOf('edges', { rows: FIVE.map((n) => someEdge({ pairId: `p${n}` })) }))
    await publish(snapshotOf('gapCards', cardsBody(FIVE.map((n) => someCard({ pairId: `p${n}` })))))
    await publish(snapshotOf('movers', moversBody({ day: [someMover()] })))
    await publish(snapshotOf('book', { a: [someBookRow()], b: [] }))
    await publish(snapshotOf('topics', topicsBody([someTopic()])))
    const base = service.bases[0]!
    await service.restartApi(0, { PUBLIC_URL: base }) //  its port was not known before
    return { chain, service, base, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A good's own examples as a query: what every surface tells a stranger to send. */
export function exampleQuery({ sku, parameters }: Good<unknown>): string {
  //  its two parameters are alternatives: only one may be sent
  const sent = sku === 'SKU_RECEIPT_ORACLE_01' ? parameters.slice(0, 1) : parameters
  const query = new URLSearchParams(
    sent.map(({ name, example }): [string, string] => [name, example]),
  ).toString()
  return query === '' ? '' : `?${query}`
}
