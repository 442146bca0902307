const HERE = 'http://here.invalid'

/** Where to go on to: a path of our own, whatever was asked for. */
export function readNext(text: string | undefined): string {
  if (!text?.startsWith('/') || !URL.canParse(text, HERE)) return '/'
  const { origin, pathname, search, hash } = new URL(text, HERE)
  // Looked at as a browser will: without tabs, with slashes for backslashes, with `..` resolved.
  return origin === HERE && !pathname.startsWith('//') ? pathname + search + hash : '/'
}

/** A path that goes on to another. */
export const withNext = (path: string, next: string): string =>
  next === '/' ? path : `${path}?next=${encodeURIComponent(next)}`
