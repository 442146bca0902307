import { sql } from 'kysely'
import type { ReadyState } from '#contract/api/deployment.ts'
import type { DeploymentChange, DeploymentStore } from '#core/deployment/deployment-store.ts'
import { pagesOf } from '#core/shared/shared-thing-store.ts'
import { countUsage, deploymentCount } from '../account/usage-store.ts'
import { locksRows } from '../database/dialect/capabilities.ts'
import { readPage } from '../database/page.ts'
import { prepare } from '../database/prepare.ts'
import { textsIn } from '../database/text-list.ts'
import { atomically } from '../database/transaction.ts'
import { insertAwaited, selectMissing } from '../file/awaited-files.ts'
import { referencedFiles } from '../file/referenced-files.ts'
import { removeThings } from '../file/shared-thing-store.ts'
import type { Db } from '../tables.ts'
import { delistAliasesOf } from './alias-lists.ts'
import { createListing } from './deployment-list.ts'
import { insertMeta } from './deployment-meta.ts'
import {
  DEPLOYMENT,
  type DeploymentRow,
  type Details,
  fromDeployment,
  liveDeployments,
  toDeployment,
} from './deployment-row.ts'
import { type ManifestRow, packManifest, toManifest } from './manifest-row.ts'

const ID = /^(?:dpl_)?([0-9A-Za-z]{28})$/

const selectById = prepare<{ id: string }>()((db, { id }) =>
  liveDeployments(db).select(DEPLOYMENT).where('deployments.id', '=', id),
)
const selectByIds = prepare<{ ids: string }>()((db, { ids }) =>
  liveDeployments(db).select(DEPLOYMENT).where('deployments.id', 'in', textsIn(db, ids)),
)
/** The one whose own host it is, or else the one that an alias of this name points to: the second part is not run where the first finds one. */
const selectByHost = prepare<{ host: string }>()((db, { host }) =>
  liveDeployments(db, 'deployments_host')
    .select(DEPLOYMENT)
    .where('deployments.host', '=', host)
    .unionAll(
      liveDeployments(db)
        .innerJoin('hosts', 'hosts.deployment_id', 'deployments.id')
        .select(DEPLOYMENT)
        .where('hosts.host', '=', host),
    )
    .limit(sql.lit(1)),
)
const selectSame = prepare<{ ownerId: string; digest: string }>()((db, { ownerId, digest }) =>
  liveDeployments(db, 'deployments_digest')
    .select(DEPLOYMENT)
    .where('owner_id', '=', ownerId)
    .where('digest', '=', digest)
    .where('state', '!=', sql.lit('ERROR'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
)
const selectKept = (db: Db) =>
  liveDeployments(db, 'deployments_kept')
    .select(DEPLOYMENT)
    .where('min_instances', '>', sql.lit(0))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
const selectManifest = prepare<{ id: string }>()((db, { id }) =>
  db.selectFrom('manifests').select(['sha1s', 'files']).where('deployment_id', '=', id),
)

const incomplete = (db: Db) => db.selectFrom('deployments').where('incomplete', '=', sql.lit(1))

const selectCompletable = (db: Db, ownerId: string) =>
  incomplete(db)
    .select(DEPLOYMENT)
    .where('owner_id', '=', ownerId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('awaited_files')
            .select('sha1')
            .whereRef('awaited_files.deployment_id', '=', 'deployments.id'),
        ),
      ),
    )
    .orderBy('id')
const findCompletable = prepare<{ ownerId: string }>()((db, { ownerId }) => selectCompletable(db, ownerId))
/** Who waited for the lock of a row finds it complete, and passes over it. */
const lockCompletable = prepare<{ ownerId: string }>()((db, { ownerId }) =>
  selectCompletable(db, ownerId).$if(locksRows(db), (query) => query.forUpdate()),
)
const selectDeleted = prepare<{ ownerId: string; id: string }>()((db, { ownerId, id }) =>
  db
    .selectFrom('deployments')
    .select('id')
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is not', null),
)
const selectAbandoned = prepare<{ before: number; limit: number }>()((db, { before, limit }) =>
  incomplete(db)
    .select(['id', 'owner_id'])
    .where('created_at', '<', before)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit),
)

/** In the words of the index. */
const UNSETTLED = sql<boolean>`state in ('INITIALIZING', 'ANALYZING', 'BUILDING', 'DEPLOYING')`
const selectWithoutJob = prepare<{ keyPrefix: string; limit: number }>()((db, { keyPrefix, limit }) =>
  liveDeployments(db, 'deployments_unsettled')
    .select(DEPLOYMENT)
    .where(UNSETTLED)
    .where('incomplete', '=', sql.lit(0))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('jobs')
            .select('jobs.id')
            .where('jobs.key', '=', sql<string>`${keyPrefix} || deployments.id`)
            .where('jobs.failed_at', 'is', null),
        ),
      ),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit),
)

const selectDetails = (db: Db, id: string) =>
  db
    .selectFrom('deployments')
    .select('details')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .$if(locksRows(db), (query) => query.forUpdate())
const lockAny = prepare<{ id: string }>()((db, { id }) => selectDetails(db, id))
const lockUnsettled = prepare<{ id: string }>()((db, { id }) => selectDetails(db, id).where(UNSETTLED))

/** The details as nobody else can change them until the transaction ends. */
async function lockDetails(tx: Db, id: string, unsettled: boolean): Promise<Details | undefined> {
  const [row] = await (unsettled ? lockUnsettled : lockAny)(tx, { id })
  return row && JSON.parse(row.details)
}

type NewRow = DeploymentRow & { readonly sealed_env: string }

const insertRow = prepare<NewRow>()((db, row) =>
  db.insertInto('deployments').values({
    id: row.id,
    owner_id: row.owner_id,
    project_id: row.project_id,
    creator_id: row.creator_id,
    name: row.name,
    host: row.host,
    state: row.state,
    target: row.target,
    digest: row.digest,
    public: row.public,
    incomplete: row.incomplete,
    created_at: row.created_at,
    deleted_at: null,
    details: row.details,
    sealed_env: row.sealed_env,
  }),
)
const insertManifest = prepare<{ id: string; sha1s: string; files: string }>()((db, { id, sha1s, files }) =>
  db.insertInto('manifests').values({ deployment_id: id, sha1s, files }),
)

/** What most changes are: those of the others are built as they come. */
const settle = prepare<{ id: string; state: ReadyState; host: string | null; details: string }>()(
  (db, { id, state, host, details }) =>
    db.updateTable('deployments').set({ state, host, details }).where('id', '=', id),
)

async function update(
  tx: Db,
  id: string,
  { state, host, ...change }: DeploymentChange,
  { unsettled } = { unsettled: false },
): Promise<boolean> {
  const details = await lockDetails(tx, id, unsettled)
  if (!details) return false
  const changed = JSON.stringify({ ...details, ...change })
  if (state !== undefined && host !== undefined && change.scale === undefined)
    await settle(tx, { id, state, host, details: changed })
  else
    await tx
      .updateTable('deployments')
      .set({ state, host, min_instances: change.scale?.min, details: changed })
      .where('id', '=', id)
      .execute()
  return true
}

export function createDeploymentStore(db: Db): DeploymentStore {
  return {
    pack: packManifest,

    insert: (deployment, { manifest, packed, sealedEnv }) =>
      atomically(db, async (tx) => {
        await insertRow(tx, { ...fromDeployment(deployment), sealed_env: sealedEnv })
        const { sha1s, files } = (packed as ManifestRow | undefined) ?? (await packManifest(manifest))
        await insertManifest(tx, { id: deployment.id, sha1s, files })
        await insertMeta(tx, deployment)
        await countUsage(tx, [deploymentCount(deployment.ownerId, 1)])
        if (deployment.incomplete) await insertAwaited(tx, deployment, manifest)
      }),

    async find(idOrHost) {
      const id = ID.exec(idOrHost)?.[1]
      const [row] = await (id === undefined
        ? selectByHost(db, { host: idOrHost.toLowerCase() })
        : selectById(db, { id: `dpl_${id}` }))
      return row && toDeployment(row)
    },

    async findAll(ids) {
      const rows = await selectByIds(db, { ids: JSON.stringify(ids) })
      return rows.map(toDeployment)
    },

    async wasDeleted(ownerId, id) {
      const bare = ID.exec(id)?.[1]
      if (bare === undefined) return false
      const [row] = await selectDeleted(db, { ownerId, id: `dpl_${bare}` })
      return row !== undefined
    },

    async list(ownerId, page, filter) {
      const select = await createListing(db, ownerId, filter)
      return readPage(page, { select, timeOf: (row) => row.created_at, show: toDeployment })
    },

    async newestSame(ownerId, digest) {
      const [row] = await selectSame(db, { ownerId, digest })
      return row && toDeployment(row)
    },

    async manifest(id) {
      const [row] = await selectManifest(db, { id })
      return row ? await toManifest(row) : []
    },

    async sealedEnv(id) {
      const row = await liveDeployments(db).select('sealed_env').where('id', '=', id).executeTakeFirst()
      return row?.sealed_env
    },

    missing: (id) => selectMissing(db, id),

    update: (id, change) => atomically(db, (tx) => update(tx, id, change)),

    advance: (id, change) => atomically(db, (tx) => update(tx, id, change, { unsettled: true })),

    delete: (id, deletedAt, only) =>
      atomically(db, async (tx) => {
        const deleted = await tx
          .updateTable('deployments')
          // What nobody can ask for any more is not kept, least of all the values of variables.
          .set({ deleted_at: deletedAt, incomplete: 0, min_instances: 0, details: '{}', sealed_env: '' })
          .where('id', '=', id)
          .where('deleted_at', 'is', null)
          .$if(only === 'incomplete', (query) => query.where('incomplete', '=', sql.lit(1)))
          .returning('owner_id')
          .executeTakeFirst()
        if (!deleted) return false
        await countUsage(tx, [deploymentCount(deleted.owner_id, -1)])
        await tx.deleteFrom('manifests').where('deployment_id', '=', id).execute()
        await tx.deleteFrom('outputs').where('deployment_id', '=', id).execute()
        await tx.deleteFrom('previews').where('deployment_id', '=', id).execute()
        await tx.deleteFrom('deployment_meta').where('deployment_id', '=', id).execute()
        await tx.deleteFrom('awaited_files').where('deployment_id', '=', id).execute()
        await tx.deleteFrom('revalidations').where('deployment_id', '=', id).execute()
        await removeThings(tx, pagesOf(id))
        await delistAliasesOf(tx, id)
        return true
      }),

    async completable(ownerId) {
      const select = db.isTransaction ? lockCompletable : findCompletable
      return (await select(db, { ownerId })).map(toDeployment)
    },

    complete: (id, manifest) =>
      atomically(db, async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('deployments')
          .set({ incomplete: 0 })
          .where('id', '=', id)
          .where('deleted_at', 'is', null)
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 0n) return
        await tx
          .updateTable('manifests')
          .set(await packManifest(manifest))
          .where('deployment_id', '=', id)
          .execute()
        await tx.deleteFrom('awaited_files').where('deployment_id', '=', id).execute()
      }),

    async abandoned(before, limit) {
      const rows = await selectAbandoned(db, { before, limit })
      return rows.map(({ id, owner_id }) => ({ id, ownerId: owner_id }))
    },

    async keptRunning() {
      return (await selectKept(db)).map(toDeployment)
    },

    async withoutJob(keyPrefix, limit) {
      return (await selectWithoutJob(db, { keyPrefix, limit })).map(toDeployment)
    },

    referenced: (ownerId, sha1s) => referencedFiles(db, ownerId, sha1s),
  }
}
