import type { Selectable } from 'kysely'
import type { OauthCode, OauthCodeStore } from '#core/oauth/oauth-code.ts'
import { changedOne } from '../database/changed-one.ts'
import { prepare } from '../database/prepare.ts'
import type { Db, OauthCodeTable } from '../tables.ts'

const CODE = ['hash', 'installation_id', 'details', 'used_at', 'token_id', 'created_at'] as const

/** What has no column of its own. */
type Details = Pick<OauthCode, 'applicationId' | 'userId' | 'challenge'>

const toCode = (row: Selectable<OauthCodeTable>): OauthCode => ({
  ...(JSON.parse(row.details) as Details),
  hash: row.hash,
  installationId: row.installation_id,
  usedAt: row.used_at,
  tokenId: row.token_id,
  createdAt: row.created_at,
})

const selectByHash = prepare<{ hash: string }>()((db, { hash }) =>
  db.selectFrom('oauth_codes').select(CODE).where('hash', '=', hash),
)

export function createOauthCodeStore(db: Db): OauthCodeStore {
  return {
    async add({ hash, installationId, usedAt, tokenId, createdAt, ...details }) {
      await db
        .insertInto('oauth_codes')
        .values({
          hash,
          installation_id: installationId,
          details: JSON.stringify(details satisfies Details),
          used_at: usedAt,
          token_id: tokenId,
          created_at: createdAt,
        })
        .execute()
    },

    async byHash(hash) {
      const [row] = await selectByHash(db, { hash })
      return row && toCode(row)
    },

    async use(hash, usedAt, tokenId) {
      return changedOne(
        db
          .updateTable('oauth_codes')
          .set({ used_at: usedAt, token_id: tokenId })
          .where('hash', '=', hash)
          .where('used_at', 'is', null),
      )
    },

    async prune(before) {
      await db.deleteFrom('oauth_codes').where('created_at', '<', before).execute()
    },
  }
}
