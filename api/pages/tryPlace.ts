const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Id of a read's fields in the try-it box. */
export const tryId = (path: string): string => `try-${nameOf(path)}`

/** The link by which a person tries a read: the box of the catalog, with the read selected. */
export const tryPlace = (path: string): string => `/catalog#${tryId(path)}`
