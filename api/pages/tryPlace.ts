const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Id of a read's fields in the try-it box. */
export const tryId = (path: string): string => `try-${nameOf(path)}`

/** Where a person tries a read: the box of the catalog, which has chosen it already. */
export const tryPlace = (path: string): string => `/catalog#${tryId(path)}`
