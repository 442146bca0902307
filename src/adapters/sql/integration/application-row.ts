import type { Selectable } from 'kysely'
import type { Application } from '#core/application/application.ts'
import type { ApplicationTable } from '../tables.ts'

export const APPLICATION = [
  'id',
  'owner_id',
  'slug',
  'client_id',
  'details',
  'sealed_secret',
  'created_at',
  'updated_at',
] as const

/** What has no column of its own. */
type Details = Pick<Application, 'creatorId' | 'name' | 'redirectUrl' | 'webhookUrl' | 'scopes' | 'note'>

export const toApplication = (row: Selectable<ApplicationTable>): Application => ({
  ...(JSON.parse(row.details) as Details),
  id: row.id,
  ownerId: row.owner_id,
  slug: row.slug,
  clientId: row.client_id,
  sealedSecret: row.sealed_secret,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export const fromApplication = (application: Application) => {
  const { id, ownerId, slug, clientId, sealedSecret, createdAt, updatedAt, ...details } = application
  return {
    id,
    owner_id: ownerId,
    slug,
    client_id: clientId,
    details: JSON.stringify(details satisfies Details),
    sealed_secret: sealedSecret,
    created_at: createdAt,
    updated_at: updatedAt,
  }
}
