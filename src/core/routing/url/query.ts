/** The query of `over` put over that of `request`: a key that `over` has is taken from there alone. */
export function mergeQuery(request: string, over: string): string {
  if (over === '') return request
  if (request === '') return over
  const overridden = new Set(over.split('&').map(keyOf))
  const kept = request.split('&').filter((pair) => pair !== '' && !overridden.has(keyOf(pair)))
  return [...kept, over].join('&')
}

function keyOf(pair: string): string {
  const end = pair.indexOf('=')
  const key = (end < 0 ? pair : pair.slice(0, end)).replaceAll('+', ' ')
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}
