import type { IncomingHttpHeaders } from 'node:http'

/** Sent by browsers for what a page asks, over plain HTTP too where it is of another origin; git and servers send neither. */
const isAskedByPage = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-site'] !== undefined || headers.origin !== undefined

/**
 * Asks for a name and a password, but never through a browser: that would show its window for them in our name, whatever
 * page made the request.
 */
export const challengeTo = (headers: IncomingHttpHeaders, challenge: string): Record<string, string> =>
  isAskedByPage(headers) ? {} : { 'www-authenticate': challenge }
