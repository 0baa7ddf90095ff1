/** The addresses of an entry that names one node of a chain, or two that must agree: `https://one,https://other`. */
export const nodesOf = (text: string): readonly string[] => text.split(/,(?=https?:\/\/)/)
