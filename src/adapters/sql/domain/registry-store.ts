import type { Registry, RegistryEntry } from '../../registrar-sandbox/registry.ts'
import { prepare } from '../database/prepare.ts'
import type { Db } from '../tables.ts'

type Details = Pick<RegistryEntry, 'key' | 'kind'>

const selectEntry = prepare<{ name: string }>()((db, { name }) =>
  db.selectFrom('registry_names').select(['details', 'created_at']).where('name', '=', name),
)

/** What the sandbox registrar has sold. */
export function createRegistry(db: Db): Registry {
  const find = async (name: string): Promise<RegistryEntry | undefined> => {
    const [row] = await selectEntry(db, { name })
    return row && { name, ...(JSON.parse(row.details) as Details), at: row.created_at }
  }

  return {
    find,

    async enter(entry) {
      const { name, key, kind, at } = entry
      await db
        .insertInto('registry_names')
        .values({ name, details: JSON.stringify({ key, kind } satisfies Details), created_at: at })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute()
      return (await find(name)) as RegistryEntry
    },
  }
}
