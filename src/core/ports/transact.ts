/**
 * Runs `work` in one transaction over the stores it is handed: all of it happens, or none.
 * What it resolved is durable. `work` touches nothing but these stores and awaits nothing else,
 * because the embedded database has a single writer and everybody else waits for it.
 */
export type Transact<Stores> = <T>(work: (stores: Stores) => Promise<T>) => Promise<T>
