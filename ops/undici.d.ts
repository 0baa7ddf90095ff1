/**
 * The parts of undici that we use, loaded one by one: its main module also loads its fetch, WebSocket, caches and mocks,
 * and puts an agent of its own behind the fetch of Node.
 */
declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici'
  export default buildConnector
}
declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'
  export default Agent
}
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  export default Pool
}
