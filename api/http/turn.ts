/** A turn in which much arrived at once still ends within about this time. */
const TURN_MS = 20
/** As many requests are answered at once however long they take: on a busy machine time passes without any work. */
const FEW = 32

/**
 * How long the current turn of the event loop has been answering requests. The server reads up to half a MiB of a
 * connection and calls the handler for every request in it before anything else of the process gets its turn.
 */
export type Turn = {
  /** To be called when a request arrives. */
  count(): void
  /** Whether its answer should wait for the next turn. */
  isLong(): boolean
}

/** Costs one immediate for each turn that has requests, and a look at the clock for each request beyond the first few. */
export function createTurn(nowMs: () => number = () => performance.now()): Turn {
  let requests = 0
  let sinceMs = 0
  const end = () => {
    requests = 0
  }
  return {
    count() {
      if (requests++ > 0) return
      sinceMs = nowMs()
      setImmediate(end)
    },
    isLong: () => requests > FEW && nowMs() - sinceMs > TURN_MS,
  }
}
