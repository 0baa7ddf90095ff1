/** Where the lines of a text begin, and how they are called: line 1 is the first. LF, CRLF and CR end a line. */
export type Lines = { count: number; lineAt(offset: number): number; textAt(offset: number): string }

export function linesOf(text: string): Lines {
  const starts = [0]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10)) starts.push(at + 1)
  }
  const lineAt = (offset: number): number => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return low + 1
  }
  return {
    count: starts.length,
    lineAt,
    textAt: (offset) => text.slice(starts[lineAt(offset) - 1], starts[lineAt(offset)] ?? text.length),
  }
}
