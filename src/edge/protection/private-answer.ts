import type { HeaderList } from '../answer.ts'
import type { Result } from '../exchange.ts'

/** Said to shared caches alone. */
const FOR_CACHES = new Set(['cdn-cache-control', 'surrogate-control', 'vercel-cdn-cache-control'])

/** An answer that was not for everyone: only the visitor's own browser may keep it. */
export function privateAnswer(result: Result, cookies: readonly string[]): Result {
  const added = cookies.flatMap((cookie) => ['set-cookie', cookie])
  if ('code' in result) return { ...result, headers: [...result.headers, ...added] }
  return { ...result, headers: [...privateHeaders(result.headers), ...added] }
}

function privateHeaders(headers: HeaderList): HeaderList {
  const changed: (string | readonly string[])[] = []
  let given: string | undefined
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name, value] = [headers[i] as string, headers[i + 1] as string | readonly string[]]
    if (name === 'cache-control') given = given === undefined ? String(value) : `${given}, ${value}`
    else if (!FOR_CACHES.has(name)) changed.push(name, value)
  }
  return [...changed, 'cache-control', privateCaching(given)]
}

/** What is said about time stays, what is said to shared caches goes. */
function privateCaching(given: string | undefined): string {
  const kept = (given ?? '')
    .split(',')
    .map((directive) => directive.trim())
    .filter(
      (directive) => directive !== '' && !/^(?:public|private|s-maxage|proxy-revalidate)\b/i.test(directive),
    )
  return ['private', ...kept].join(', ')
}
