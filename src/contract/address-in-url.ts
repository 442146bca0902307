/** As a URL, or an address with a port behind it, holds a host: an IPv6 address stands in brackets. */
export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** The host of a URL, as sockets and certificates take it: an IPv6 address without its brackets. */
export const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')
