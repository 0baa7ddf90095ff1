/** Orders two ids: what decides between equal figures, so that the same rows always stand in the same order. */
export const inOrder = (x: string, y: string): number => (x === y ? 0 : x < y ? -1 : 1)
