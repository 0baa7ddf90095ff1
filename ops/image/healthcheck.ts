import { loadConfig } from '../config.ts'
import { SECOND } from '../units.ts'

/** The container's health check: exit code 0 when this container's own /readyz says 200. */
const { OPERATOR_PORT } = loadConfig(process.env, 'script')
const ready = await fetch(`http://127.0.0.1:${OPERATOR_PORT}/readyz`, {
  signal: AbortSignal.timeout(4 * SECOND),
}).then(
  ({ status }) => status === 200,
  () => false,
)
process.exit(ready ? 0 : 1)
