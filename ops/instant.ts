/** `YYYY-MM-DD hh:mm:ss.mmm`, UTC: what ClickHouse reads fastest. */
export const instant = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').slice(0, 23)
