import type { AppStore, GitApp } from '#core/git/app/app.ts'
import type { Db } from '../tables.ts'
import { createDetailsTable, type DetailsOf } from './details-table.ts'

export function createAppStore(db: Db): AppStore {
  const { byId, add, list, update, replace, remove } = createDetailsTable<GitApp>(
    db,
    'git_apps',
    (details) => JSON.parse(details) as DetailsOf<GitApp>,
  )
  return {
    ...{ byId, add, list, update, remove },
    async claim(id, stateHash) {
      const found = await byId(id)
      return found?.stateHash === stateHash && replace(found, { stateHash: null })
    },
  }
}
