/** What comes after these is known only to those who may use it. The test of this file says of which endpoints that is true. */
const BEFORE_SECRET =
  /(\/(?:integrations\/deploy\/[^/]*|git\/called\/[^/]*|git\/apps\/start|projects\/transfer-request)\/+)[^/?]+/g

/** The path of a request as it may be logged, and shown to others than who sent it: without its query, and what in it is a secret. */
export function loggedPath(url: string, instead = '[redacted]'): string {
  const query = url.indexOf('?')
  return (query < 0 ? url : url.slice(0, query)).replace(BEFORE_SECRET, `$1${instead}`)
}
