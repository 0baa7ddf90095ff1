/**
 * Named points at which a test may end or freeze this very process (faults.md 3.5): `CP6:kill` or
 * `CP6:stop`. Set by FAULT_POINT, refused with MODE=live; without it a point costs one comparison.
 */
export type FaultPoint = (name: string) => void

export function createFaultPoint(setting: string): FaultPoint {
  if (setting === '') return () => {}
  const [point, action] = setting.split(':')
  return (name) => {
    if (name === point) process.kill(process.pid, action === 'stop' ? 'SIGSTOP' : 'SIGKILL')
  }
}
