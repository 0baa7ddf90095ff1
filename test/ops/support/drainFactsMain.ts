import { connectClickhouse } from '../../../ops/clickhouse.ts'
import { clickhouseSink } from '../../../ops/clickhouseSink.ts'
import { drainStream } from '../../../ops/drainStream.ts'
import { createFaultPoint } from '../../../ops/faultPoint.ts'
import { createLog } from '../../../ops/log.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { FACTS_DRAIN } from './drainFacts.ts'

/** The drain of drainFacts.ts as a process, so that it can be killed. */
const { REDIS_URL = '', CLICKHOUSE_URL = '', DATABASE = '', FAULT_POINT = '' } = process.env
const log = createLog('facts', 'warn')
drainStream({
  ...FACTS_DRAIN,
  redis: connectRedis(REDIS_URL, { log, name: 'facts' }),
  sink: clickhouseSink(
    connectClickhouse({
      clickhouseUrl: CLICKHOUSE_URL,
      clickhouseUser: 'default',
      clickhousePassword: '',
      clickhouseDatabase: DATABASE,
    }),
  ),
  log,
  flushMs: 10,
  maxEntries: 7,
  fault: createFaultPoint(FAULT_POINT),
})
process.stdout.write('draining\n')
