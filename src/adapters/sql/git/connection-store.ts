import type { ConnectionStore, GitConnection } from '#core/git/host/connection.ts'
import type { Db } from '../tables.ts'
import { createDetailsTable, type DetailsOf } from './details-table.ts'

type Details = DetailsOf<GitConnection>
type LaterOn = 'app'

/** Those that were connected before there were apps have none. */
const readDetails = (details: string): Details => ({
  app: null,
  ...(JSON.parse(details) as Omit<Details, LaterOn> & Partial<Pick<Details, LaterOn>>),
})

export function createConnectionStore(db: Db): ConnectionStore {
  const { byId, add, list, update, remove } = createDetailsTable<GitConnection>(
    db,
    'git_connections',
    readDetails,
  )
  return {
    ...{ byId, add, list, update, remove },
    async find(ownerId, id) {
      const found = await byId(id)
      return found?.ownerId === ownerId ? found : undefined
    },
  }
}
