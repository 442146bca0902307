/** The one spelling of an installation's address, so that it can be compared and be a key. */
export function readBaseUrl(text: string): string {
  const url = URL.parse(text.trim())
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new TypeError('it should start with http:// or https://, as in http://localhost:3000')
  if (url.username !== '' || url.password !== '')
    throw new TypeError('it should not contain a user name or password')
  if (url.search !== '' || url.hash !== '') throw new TypeError('it should end with the host or a path')
  return url.origin + url.pathname.replace(/\/+$/, '')
}
