import type { Selectable } from 'kysely'
import type { Installation } from '#core/installation/installation.ts'
import type { InstallationTable } from '../tables.ts'

export const INSTALLATION = [
  'installations.id',
  'installations.application_id',
  'installations.owner_id',
  'installations.user_id',
  'installations.details',
  'installations.disabled_at',
  'installations.created_at',
  'installations.updated_at',
] as const

/** What has no column of its own. */
type Details = Omit<
  Installation,
  'id' | 'applicationId' | 'ownerId' | 'userId' | 'disabledAt' | 'createdAt' | 'updatedAt'
>

export const toInstallation = (row: Selectable<InstallationTable>): Installation => ({
  ...(JSON.parse(row.details) as Details),
  id: row.id,
  applicationId: row.application_id,
  ownerId: row.owner_id,
  userId: row.user_id,
  disabledAt: row.disabled_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export const fromInstallation = (installation: Installation) => {
  const { id, applicationId, ownerId, userId, disabledAt, createdAt, updatedAt, ...details } = installation
  return {
    id,
    application_id: applicationId,
    owner_id: ownerId,
    user_id: userId,
    details: JSON.stringify(details satisfies Details),
    disabled_at: disabledAt,
    created_at: createdAt,
    updated_at: updatedAt,
  }
}
