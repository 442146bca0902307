import { randomBytes } from 'node:crypto'
import { passwordPurpose } from '#core/project/project-details.ts'
import type { ProtectionOptions } from '#edge/protection/protections.ts'
import type { Config } from '../../../config/config.ts'
import { ensureSealed } from '../../tls/authority.ts'
import type { Parts } from '../parts.ts'

const VISITOR_KEY = 'visitor-key'

/** What lets visitors into protected sites, the same in all serving processes. */
export async function openProtection({ baseUrl }: Config, parts: Parts): Promise<ProtectionOptions> {
  const { stores, vault, limiter } = parts
  const key = await ensureSealed(parts, VISITOR_KEY, async () => randomBytes(32).toString('base64'))
  return {
    key: Buffer.from(key, 'base64'),
    signInUrl: `${baseUrl}/sso`,
    passes: stores.ssoPasses,
    mayVisit: async (userId, ownerId) =>
      userId === ownerId || (await stores.teams.membership(userId, { id: ownerId })) !== undefined,
    openPassword: (sealed, projectId) => vault.open(sealed, passwordPurpose(projectId)),
    limiter,
  }
}
