/** Takes at most `count` steps. */
export function takeSome(steps: Iterator<void>, count: number): void {
  for (let taken = 0; taken < count && steps.next().done !== true; taken++);
}
