import pg from 'pg'

/** Until it is undone, every pool that this process begins to use has one connection, and soon tells who waits in vain. */
export function withOneConnection(): () => void {
  const Pool = pg.Pool
  class SmallPool extends Pool {
    constructor(config?: pg.PoolConfig) {
      super({ ...config, max: 1, connectionTimeoutMillis: 2000 })
    }
  }
  pg.Pool = SmallPool as unknown as typeof Pool
  return () => {
    pg.Pool = Pool
  }
}
