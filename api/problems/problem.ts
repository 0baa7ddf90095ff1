/** One way of saying no. `next` tells the caller what to do. */
export type ProblemRow = { status: number; retryable: boolean; title: string; next: string }

export type ProblemTable = Readonly<Record<string, ProblemRow>>
