import type { Db } from '../tables.ts'

/** In the place of a zone's name: the proofs for certificates, which come and go in all of them. */
export const CHALLENGES_OF_ALL = '_acme-challenge'

/** Counts a change. Until the transaction ends nobody else changes the zone. */
export async function countZoneChange(db: Db, zone: string): Promise<void> {
  await db
    .insertInto('zone_changes')
    .values({ zone, count: 1 })
    .onConflict((conflict) =>
      conflict.column('zone').doUpdateSet((eb) => ({ count: eb('zone_changes.count', '+', 1) })),
    )
    .execute()
}
