import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '#core/ports/log.ts'
import type { Config } from '../config.ts'
import { ensureAuthority } from './authority.ts'
import { openParts } from './parts.ts'
import { PREPARED, type Prepared } from './prepared.ts'
import { createUseCases } from './use-cases.ts'

/** What has to be true before any process serves: schema, keys, authority, an operator or the way to one. */
export async function prepare(config: Config, log: Log): Promise<Prepared> {
  const parts = await openParts(config, log, undefined)
  try {
    await parts.migrate()
    const authority = await ensureAuthority(parts)
    await writeFile(join(config.dataDir, 'ca.pem'), authority.certPem)
    const { operators } = createUseCases(config, parts)
    if (config.bootstrapEmail !== undefined && config.bootstrapToken !== undefined)
      await operators.bootstrap({ email: config.bootstrapEmail, token: config.bootstrapToken.reveal() })
    const setupToken = await operators.openSetup()
    return { kind: PREPARED, ...(setupToken === undefined ? {} : { setupToken }) }
  } finally {
    await parts.close()
  }
}
