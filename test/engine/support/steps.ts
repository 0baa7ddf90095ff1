/** As many steps of it as that, and no more. */
export function takeSome(steps: Iterator<void>, count: number): void {
  for (let taken = 0; taken < count && steps.next().done !== true; taken++);
}
