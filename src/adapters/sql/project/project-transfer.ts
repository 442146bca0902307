import type { NotNull } from 'kysely'
import type { Project } from '#core/project/project.ts'
import { countUsage, deploymentCount } from '../account/usage-store.ts'
import { atomically } from '../database/transaction.ts'
import { unlessTaken } from '../database/unless-taken.ts'
import type { Db } from '../tables.ts'

type Owned = Pick<Project, 'id' | 'ownerId'>

/** Rows that carry the account of a deployment, so that they are found by it. */
async function giveDeployments(tx: Db, { id, ownerId: from }: Owned, ownerId: string): Promise<void> {
  const to = { owner_id: ownerId }
  // Those that were deleted too: their hosts still speak of them.
  const theirs = tx
    .selectFrom('deployments')
    .select('id')
    .where('project_id', '=', id)
    .where('owner_id', '=', from)
  const live = theirs.where('deleted_at', 'is', null)
  const { count: moved } = await live
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  await tx.updateTable('deployment_meta').set(to).where('deployment_id', 'in', live).execute()
  // Their images are files of the old account; new ones are made when somebody asks.
  await tx.deleteFrom('previews').where('deployment_id', 'in', live).execute()
  await tx.updateTable('awaited_files').set(to).where('deployment_id', 'in', live).execute()
  await tx
    .updateTable('alias_lists')
    .set(to)
    .where('alias_id', 'in', (eb) =>
      eb
        .selectFrom('hosts')
        .select('hosts.alias_id')
        .where('project_id', '=', id)
        .where('hosts.alias_id', 'is not', null)
        .$narrowType<{ alias_id: NotNull }>(),
    )
    .execute()
  await tx
    .updateTable('deployments')
    .set(to)
    .where('id', 'in', (eb) => eb.selectFrom('hosts').select('deployment_id').where('project_id', '=', id))
    .where('project_id', '=', id)
    .execute()
  await tx.updateTable('deployments').set(to).where('id', 'in', live).execute()
  await countUsage(tx, [deploymentCount(from, -moved), deploymentCount(ownerId, moved)])
  await tx.updateTable('hosts').set(to).where('project_id', '=', id).execute()
  await tx.updateTable('crons').set(to).where('project_id', '=', id).execute()
  await tx.updateTable('git_pulls').set(to).where('project_id', '=', id).execute()
  await tx.updateTable('git_sizes').set(to).where('project_id', '=', id).execute()
  await tx.updateTable('git_pushes').set(to).where('project_id', '=', id).execute()
  await tx.updateTable('project_domains').set(to).where('project_id', '=', id).execute()
  // What an application of the old account has set is the new account's own.
  await tx
    .updateTable('env_variables')
    .set({ configuration_id: null })
    .where('project_id', '=', id)
    .where('configuration_id', 'is not', null)
    .execute()
}

/**
 * The certificates that were made for its hosts without anybody asking: else those had none until an authority is asked anew,
 * which is not done so soon. Any other certificate stays with its account, and so does one that the other account has too.
 */
async function giveCertificates(tx: Db, { id, ownerId: from }: Owned, ownerId: string): Promise<void> {
  const found = await tx
    .selectFrom('hosts')
    .innerJoin('certificate_names', 'certificate_names.name', 'hosts.host')
    .innerJoin('certificates', 'certificates.id', 'certificate_names.certificate_id')
    .select('certificates.id')
    .where('hosts.project_id', '=', id)
    .where('certificates.owner_id', '=', from)
    .where('certificates.source', '=', 'automatic')
    .whereRef('certificates.names', '=', 'hosts.host')
    .execute()
  for (const certificate of found)
    await unlessTaken(tx, async (inner) => {
      const to = { owner_id: ownerId }
      await inner.updateTable('certificates').set(to).where('id', '=', certificate.id).execute()
      await inner
        .updateTable('certificate_domains')
        .set(to)
        .where('certificate_id', '=', certificate.id)
        .execute()
    })
}

export const giveProject = (
  db: Db,
  project: Owned,
  { ownerId, name }: Pick<Project, 'ownerId' | 'name'>,
): Promise<boolean> =>
  atomically(db, async (tx) => {
    const given = await unlessTaken(tx, (inner) =>
      inner
        .updateTable('projects')
        .set({ owner_id: ownerId, name, transfer_hash: null })
        .where('id', '=', project.id)
        .execute(),
    )
    if (!given) return false
    await giveDeployments(tx, project, ownerId)
    await giveCertificates(tx, project, ownerId)
    return true
  })
