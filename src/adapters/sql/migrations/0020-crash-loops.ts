import type { Kysely } from 'kysely'
import type { Migration } from './migration.ts'

interface Before {
  readonly deployments: { readonly id: string; readonly state: string; readonly details: string }
}

/**
 * Crashes of one function used to put the whole deployment into ERROR for good. Those deployments are served again;
 * one that is nothing but a program which still crashes is marked anew.
 */
export const crashLoops: Migration = {
  name: '0020-crash-loops',
  async up(bare) {
    const db = bare as Kysely<Before>
    const rows = await db
      .selectFrom('deployments')
      .select(['id', 'details'])
      .where('state', '=', 'ERROR')
      .where('details', 'like', '%"code":"crash_loop"%')
      .execute()
    for (const { id, details } of rows) {
      const before = JSON.parse(details) as { readonly failure?: { readonly code?: string } | null }
      if (before.failure?.code !== 'crash_loop') continue
      await db
        .updateTable('deployments')
        .set({ state: 'READY', details: JSON.stringify({ ...before, failure: null }) })
        .where('id', '=', id)
        .execute()
    }
  },
}
