import { get } from 'node:http'

/**
 * The container's health check: exit code 0 when its own /readyz says 200. Four containers ask every ten seconds, so it
 * loads nothing of ours: reading ops/config.ts took more CPU than all the rest. Its argument is the operator port.
 */
const asked = get(`http://127.0.0.1:${process.argv[2]}/readyz`, { timeout: 4_000 }, ({ statusCode }) =>
  process.exit(statusCode === 200 ? 0 : 1),
)
asked.on('timeout', () => process.exit(1))
asked.on('error', () => process.exit(1))
