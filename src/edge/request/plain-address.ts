/** An address as people write it: IPv4 also where the socket speaks both. */
export const plainAddress = (address: string | undefined): string =>
  address === undefined ? '' : address.startsWith('::ffff:') ? address.slice(7) : address
