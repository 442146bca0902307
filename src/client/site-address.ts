/** Where the site of a host is: with the scheme and the port by which its installation was reached. */
export function siteAddress(baseUrl: string, host: string): string {
  const url = new URL(baseUrl)
  return `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`
}
