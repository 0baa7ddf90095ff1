/** Lower case with unchanged offsets: İ, the one letter that grows when lowered, is read as I. */
export const lowerInPlace = (text: string): string => text.replaceAll('\u0130', 'I').toLowerCase()
