/**
 * Work that tells how far it is. Whoever takes the news slowly gets only the newest, so that they never
 * pile up; the work's result, or its failure, comes at the end.
 */
export async function* reporting<News, Result>(
  work: (tell: (news: News) => void) => Promise<Result>,
): AsyncGenerator<News, Result> {
  let newest: News | undefined
  let ended = false
  let woken = Promise.withResolvers<void>()
  const result = work((news) => {
    newest = news
    woken.resolve()
  }).finally(() => {
    ended = true
    woken.resolve()
  })
  result.catch(() => {})
  while (true) {
    await woken.promise
    woken = Promise.withResolvers()
    const news = newest
    newest = undefined
    if (news !== undefined) yield news
    if (ended && newest === undefined) return await result
  }
}
