/** Addresses as people write them down, one a line with a note behind `#`. */
export interface NotedAddress {
  readonly value: string
  readonly note?: string
}

export const readAddresses = (text: string): NotedAddress[] =>
  readLines(text).map((line) => {
    const [value = '', ...rest] = line.split('#')
    const note = rest.join('#').trim()
    return { value: value.trim(), ...(note !== '' && { note }) }
  })

export const writeAddresses = (addresses: readonly NotedAddress[]): string =>
  addresses.map(({ value, note }) => (note === undefined ? value : `${value} # ${note}`)).join('\n')

/** The lines that hold something. */
export const readLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
