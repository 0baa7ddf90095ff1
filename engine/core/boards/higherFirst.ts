/** Order of two figures, the higher first. The sign only: a difference of fractions would be a new number in memory for each look. */
export const higherFirst = (x: number, y: number): number => (x > y ? -1 : x < y ? 1 : 0)
