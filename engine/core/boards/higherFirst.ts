/**
 * Orders two figures, the higher first. Returns only the sign: a difference of fractions would allocate a number at
 * each comparison.
 */
export const higherFirst = (x: number, y: number): number => (x > y ? -1 : x < y ? 1 : 0)
