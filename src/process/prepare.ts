import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDiskSpace } from '#adapters/fs/disk-space.ts'
import { platformNames } from '#core/alias/platform-names.ts'
import { releaseReserved } from '#core/alias/release-reserved.ts'
import type { Log } from '#core/ports/log.ts'
import type { Config } from '../config.ts'
import { openParts } from './compose/parts.ts'
import { createUseCases, tellHosts } from './compose/use-cases.ts'
import { PREPARED, type Prepared } from './prepared.ts'
import { createReserve } from './supervisor/reserve.ts'
import { ensureAuthority } from './tls/authority.ts'

/** What has to be true before any process serves: schema, keys, authority, an operator or the way to one. */
export async function prepare(config: Config, log: Log): Promise<Prepared> {
  await makeRoomToStart(config, log)
  const parts = await openParts(config, log, undefined)
  try {
    await parts.migrate()
    await parts.reserve.keep()
    const authority = await ensureAuthority(parts)
    await writeFile(join(config.dataDir, 'ca.pem'), authority.certPem)
    const { operators } = createUseCases(config, parts)
    await releaseReserved({
      ...parts,
      names: platformNames(config),
      onHostsChanged: tellHosts(parts.bus),
    })
    if (config.bootstrapEmail !== undefined && config.bootstrapToken !== undefined)
      await operators.bootstrap({ email: config.bootstrapEmail, token: config.bootstrapToken.reveal() })
    const setupToken = await operators.openSetup()
    return { kind: PREPARED, ...(setupToken === undefined ? {} : { setupToken }) }
  } finally {
    await parts.close()
  }
}

/** Less than this, and databases may not even open. */
const TO_START = 8 * 2 ** 20

/** A full disk must not keep sites from being served, nor anybody from deleting what fills it. */
async function makeRoomToStart({ dataDir }: Config, log: Log): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const disk = createDiskSpace(dataDir)
  const free = disk.free()
  if (disk.hasRoomFor('content')) return
  const gaveUp = free < TO_START && (await createReserve(dataDir).giveUp())
  log.warn(
    { dataDir, freeBytes: free, gaveUpReserve: gaveUp },
    'the disk is nearly full: sites are served, but nothing new is taken; delete deployments or give it more space',
  )
}
