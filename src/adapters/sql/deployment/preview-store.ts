import type { ImageType, PreviewImage, PreviewStore } from '#core/preview/preview.ts'
import { prepare } from '../database/prepare.ts'
import type { Db } from '../tables.ts'

const selectOf = prepare<{ id: string }>()((db, { id }) =>
  db
    .selectFrom('previews')
    .select(['deployment_id', 'made_at', 'kind', 'type', 'sha1', 'sha256', 'size'])
    .where('deployment_id', '=', id),
)

export const createPreviewStore = (db: Db): PreviewStore => ({
  async find(id) {
    const [row] = await selectOf(db, { id })
    if (!row) return undefined
    const { deployment_id: deploymentId, made_at: madeAt, kind, type, sha1, sha256, size } = row
    const image =
      kind === null || type === null || sha1 === null || sha256 === null
        ? null
        : { kind: kind as PreviewImage['kind'], type: type as ImageType, sha1, sha256, size }
    return { deploymentId, madeAt, image }
  },

  async save({ deploymentId, madeAt, image }) {
    const columns = {
      made_at: madeAt,
      kind: image?.kind ?? null,
      type: image?.type ?? null,
      sha1: image?.sha1 ?? null,
      sha256: image?.sha256 ?? null,
      size: image?.size ?? 0,
    }
    await db
      .insertInto('previews')
      .values({ deployment_id: deploymentId, ...columns })
      .onConflict((conflict) => conflict.column('deployment_id').doUpdateSet(columns))
      .execute()
  },
})
