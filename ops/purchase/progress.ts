/** One line on the terminal's standard error that says what is being waited for; nothing when it is no terminal. */
export type Progress = {
  start(text: string): void
  stop(): void
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 100
const CLEAR_LINE = '\r\u001b[2K'

export const NO_PROGRESS: Progress = { start() {}, stop() {} }

/** @param columns of the terminal now: a line that wraps could not be taken back. */
export function createProgress(
  write: (text: string) => void,
  nowMs: () => number,
  columns: () => number,
): Progress {
  let timer: NodeJS.Timeout | null = null
  const stop = () => {
    if (timer === null) return
    clearInterval(timer)
    timer = null
    write(CLEAR_LINE)
  }
  return {
    stop,
    start(text) {
      stop()
      const startMs = nowMs()
      let frame = 0
      const draw = () => {
        const seconds = ((nowMs() - startMs) / 1_000).toFixed(1)
        const line = `${FRAMES[frame++ % FRAMES.length]} ${text} ${seconds} s`
        write(CLEAR_LINE + line.slice(0, columns() - 1))
      }
      draw()
      timer = setInterval(draw, FRAME_MS)
      timer.unref()
    },
  }
}
