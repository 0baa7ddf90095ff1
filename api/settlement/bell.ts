/** Waited after a ring, to gather what arrives together with it. */
const GATHER_MS = 10

export type Bell = {
  ring(): void
  /** Sleeps. Ends early with the signal, and shortly after a ring if the sleeper listens. */
  rest(ms: number, listens: boolean): Promise<void>
}

/** One sleeper, many ringers. A ring while the sleeper is awake is kept for its next sleep. */
export function createBell(signal: AbortSignal): Bell {
  let rung = false
  let shorten: ((ms: number) => void) | null = null
  signal.addEventListener('abort', () => shorten?.(0), { once: true })
  return {
    ring() {
      if (rung) return
      rung = true
      shorten?.(GATHER_MS)
    },
    async rest(ms, listens) {
      if (signal.aborted) return
      await new Promise<void>((wake) => {
        const sleep = (forMs: number) => setTimeout(wake, forMs)
        let timer = sleep(listens && rung ? Math.min(ms, GATHER_MS) : ms)
        shorten = (toMs) => {
          if (toMs > 0 && !listens) return
          clearTimeout(timer)
          timer = sleep(toMs)
        }
      })
      shorten = null
      rung = false
    },
  }
}
