import { site } from './rateLimit.ts'

/** So much of a turn bodies may take; then whatever else the process has to do gets its turn. */
const SLICE_MS = 20

type Go = () => void

/**
 * Bodies that have arrived go on to their handlers in a line. What a handler does with a body until it waits for somebody
 * is done within the turn in which it got it: for five hundred that came at once everybody else waited for seconds.
 */
export type Line = {
  /** Whether a body that arrives now has to wait; if not, it goes on at once. */
  isLong(): boolean
  /** Callers take turns: one that waits with hundreds holds up another one by one of them. An IPv6 /48 counts as one. */
  wait(address: string, go: Go): void
}

/** Costs one immediate for each turn in which bodies arrive. */
export function createLine(nowMs: () => number = () => performance.now()): Line {
  const waiting = new Map<string, Go[]>() //  by caller, whose turn it is first
  let sinceMs: number | null = null //  when this slice began; null: no body has come in this turn
  const isOver = () => nowMs() - sinceMs! >= SLICE_MS
  const begin = () => {
    sinceMs = nowMs()
    setImmediate(end)
  }
  const end = () => {
    sinceMs = null
    if (waiting.size === 0) return
    begin()
    next()
  }
  const next = () => {
    const [first] = waiting
    if (first === undefined) return
    const [caller, mine] = first
    waiting.delete(caller)
    const go = mine.shift()!
    if (mine.length > 0) waiting.set(caller, mine)
    go()
    //  a tick that a microtask asks for comes after all microtasks: after what the handler does at once
    queueMicrotask(() => process.nextTick(goOn))
  }
  const goOn = () => {
    if (sinceMs !== null && !isOver()) next()
  }
  return {
    isLong() {
      if (waiting.size > 0) return true
      if (sinceMs === null) begin()
      return isOver()
    },
    wait(address, go) {
      const caller = site(address)
      const mine = waiting.get(caller)
      if (mine === undefined) waiting.set(caller, [go])
      else mine.push(go)
      if (sinceMs === null) begin()
    },
  }
}
