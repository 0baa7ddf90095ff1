/** What is kept of one request: whether it is over, and its place among those that wait for an answer. */
export type Entered = { over: boolean; slot: number | null }

/**
 * The requests that a server is answering: who still waits for an answer or for the rest of one, and when the last one is
 * over. Places are numbered and used again, because a map would cost each request three microseconds.
 */
export function createUnderWay<Answer>() {
  const waiting: (((answer: Answer) => void) | null)[] = []
  const unused: number[] = []
  let count = 0
  let whenIdle: (() => void) | null = null

  const waitNoMore = (entered: Entered): void => {
    if (entered.slot === null) return
    waiting[entered.slot] = null
    unused.push(entered.slot)
    entered.slot = null
  }
  return {
    enter(): void {
      count++
    },
    /**
     * Its answer comes later, or the rest of it goes out later.
     * @param give answers it, or cuts it off; until `waitNoMore` it may be called by `tellAll`.
     */
    wait(entered: Entered, give: (answer: Answer) => void): void {
      entered.slot = unused.pop() ?? waiting.length
      waiting[entered.slot] = give
    },
    waitNoMore,
    /** All of its answer is out, or its client has left. */
    leave(entered: Entered): void {
      entered.over = true
      waitNoMore(entered)
      count--
      if (count === 0) whenIdle?.()
    },
    /** Answers everybody who waits; who has a part of his answer is cut off. */
    tellAll(answer: Answer): void {
      for (const give of [...waiting]) give?.(answer)
    },
    async idle(): Promise<void> {
      if (count > 0)
        await new Promise<void>((resolve) => {
          whenIdle = resolve
        })
    },
  }
}
