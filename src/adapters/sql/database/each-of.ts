import type { Db } from '../tables.ts'

/** Asks for each of these: at once, or in a transaction, whose connection takes one statement at a time, one after the other. */
export async function eachOf<T, R>(
  db: Db,
  items: readonly T[],
  ask: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  if (!db.isTransaction) return Promise.all(items.map(ask))
  const found: R[] = []
  for (const item of items) found.push(await ask(item))
  return found
}
