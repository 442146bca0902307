import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createDiskSpace } from '#adapters/fs/disk-space.ts'
import { MasterKeyError } from '#adapters/vault-aes/master-key.ts'
import { VaultError } from '#adapters/vault-aes/vault-error.ts'
import { SECOND } from '#contract/time.ts'
import { platformNames } from '#core/alias/platform-names.ts'
import { releaseReserved } from '#core/alias/release-reserved.ts'
import { isUnavailable } from '#core/ports/is-unavailable.ts'
import type { Log } from '#core/ports/log.ts'
import type { Config } from '../config/config.ts'
import { announceHosts } from './compose/announce.ts'
import { shareRepositories } from './compose/git/git.ts'
import { checkIsPart } from './compose/machine/cluster.ts'
import { openParts } from './compose/open-parts.ts'
import type { Parts } from './compose/parts.ts'
import { createUseCases } from './compose/use-cases.ts'
import { PREPARED, type Prepared } from './prepared.ts'
import type { ChildRole } from './supervisor/child/child.ts'
import { createReserve } from './supervisor/reserve.ts'
import { AUTHORITY_FILE, ensureAuthority } from './tls/authority.ts'

const OTHER_KEY =
  'The master key is not the one that the secrets of this installation were encrypted with: put the right master.key into the data folder, or set ALOFT_MASTER_KEY to it'

/** What has to be true before any process serves: schema, keys, authority, an operator or the way to one. */
async function prepare(config: Config, log: Log): Promise<Prepared> {
  await makeRoomToStart(config, log)
  const parts = await openParts(config, log, undefined)
  try {
    const isAway = await migrate(config, parts)
    if (isAway) return { kind: PREPARED, isAway }
    await checkIsPart(config, parts)
    await parts.reserve.keep()
    await parts.contents.claim()
    await shareRepositories(config, parts).catch((err: unknown) =>
      log.error({ err }, 'repositories of this machine could not be shared with other machines'),
    )
    const authority = await ensureAuthority(parts).catch((error: unknown) => {
      throw error instanceof VaultError ? new MasterKeyError(OTHER_KEY) : error
    })
    await writeFile(join(config.dataDir, AUTHORITY_FILE), authority.certPem, { mode: 0o644 })
    const { operators } = createUseCases(config, parts)
    await releaseReserved({
      ...parts,
      names: platformNames(config),
      onHostsChanged: announceHosts(parts.bus),
    })
    if (config.bootstrapEmail !== undefined && config.bootstrapToken !== undefined)
      await operators.bootstrap({ email: config.bootstrapEmail, token: config.bootstrapToken.reveal() })
    const setupToken = await operators.openSetup()
    return { kind: PREPARED, ...(setupToken === undefined ? {} : { setupToken }) }
  } finally {
    await parts.close()
  }
}

const SHORTEST_WAIT = SECOND
const LONGEST_WAIT = 15 * SECOND

/**
 * Prepares, or where a database on another machine is away, says so and goes on trying: what serves has what is known
 * on this machine. What works has nothing to do without it.
 */
export async function prepareFor(
  role: ChildRole,
  config: Config,
  log: Log,
  tell: (prepared: Prepared) => void,
): Promise<void> {
  const first = await prepare(config, log)
  if (first.isAway && role === 'work') throw new Error('the database does not answer')
  tell(first)
  if (!first.isAway) return
  log.warn({}, 'the database does not respond: serving the last known state until it does')
  const tryAgain = async (wait: number): Promise<void> => {
    await setTimeout(wait, undefined, { ref: false })
    const prepared = await prepare(config, log).catch((err: unknown) => {
      log.error({ err }, 'the database is available again but could not be prepared')
      return undefined
    })
    if (!prepared || prepared.isAway) return tryAgain(Math.min(wait * 2, LONGEST_WAIT))
    log.info({}, 'the database is back')
    tell(prepared)
  }
  void tryAgain(SHORTEST_WAIT)
}

/** Whether the database has to be waited for, which only one on another machine is worth. */
async function migrate({ databaseUrl }: Config, parts: Parts): Promise<boolean> {
  try {
    await parts.migrate()
    return false
  } catch (error) {
    if (databaseUrl && isUnavailable(error)) return true
    throw error
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
    'the disk is nearly full: sites are served, but uploads are refused; delete deployments or add disk space',
  )
}
