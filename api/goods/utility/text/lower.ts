/** Small letters, offset for offset: the one letter that grows when it is lowered (İ) is taken for an I. */
export const lowerInPlace = (text: string): string => text.replaceAll('\u0130', 'I').toLowerCase()
