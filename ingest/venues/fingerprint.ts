/** Raw figures of a row as one text. A value of another type than documented never equals a documented one. */
export function figures(row: Record<string, unknown>, names: readonly string[]): string {
  let text = ''
  for (const name of names) {
    const value = row[name]
    const type = typeof value
    if (value === undefined) text += '|'
    else if (type === 'number' || type === 'boolean') text += `|${value}`
    else if (type === 'string') text += `|'${value}`
    else text += `|${JSON.stringify(value)}`
  }
  return text
}
