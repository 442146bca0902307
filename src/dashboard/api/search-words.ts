/**
 * The words of an address after `?` are text, as people and other programs write them. The router would read a branch
 * `1.10` as the number 1.1.
 */
export const parseSearch = (text: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(text))

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const words = new URLSearchParams()
  for (const [name, value] of Object.entries(search))
    if (value !== undefined && value !== null) words.set(name, String(value))
  const text = words.toString()
  return text === '' ? '' : `?${text}`
}
