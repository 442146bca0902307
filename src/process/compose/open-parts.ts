import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createBackups } from '#adapters/backup-tar/backups.ts'
import { createDiskSpace } from '#adapters/fs/disk-space.ts'
import { createRepositoryFiles } from '#adapters/git-cli/repository-files.ts'
import type { Channel } from '#adapters/ipc/channel.ts'
import { createOutbound } from '#adapters/outbound-http/outbound-http.ts'
import { createDnsResolver } from '#adapters/resolver-dns/dns-resolver.ts'
import { createTableSource } from '#adapters/sql/backup/table-source.ts'
import { isMarkedDamaged, listSetAside } from '#adapters/sql/database/damaged-file.ts'
import { openDatabase } from '#adapters/sql/database/database.ts'
import { createDatabaseClock } from '#adapters/sql/database/database-clock.ts'
import { databaseFacts } from '#adapters/sql/database/database-facts.ts'
import { createTransact } from '#adapters/sql/database/transact.ts'
import { createSiteSource } from '#adapters/sql/deployment/site-source.ts'
import { createRegistry } from '#adapters/sql/domain/registry-store.ts'
import { createZoneSource } from '#adapters/sql/domain/zone-source.ts'
import { createContentIndex } from '#adapters/sql/file/content-index.ts'
import { openLogDatabase } from '#adapters/sql/log/log-database.ts'
import { createLogStore } from '#adapters/sql/log/log-store.ts'
import { createTrafficStore } from '#adapters/sql/log/traffic-store.ts'
import { createStores } from '#adapters/sql/stores.ts'
import { loadMasterKey } from '#adapters/vault-aes/master-key.ts'
import { createVault } from '#adapters/vault-aes/vault.ts'
import { TrafficRecorder } from '#core/analytics/traffic-recorder.ts'
import { createChangeAnnouncer } from '#core/change/change-announcer.ts'
import { JOBS_TOPIC } from '#core/job/job-queue.ts'
import { LogWriter } from '#core/log/write/log-writer.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { LogAllowance } from '#core/usage/log-allowance.ts'
import { createQuotaSettings } from '#core/usage/quota-settings.ts'
import { createQuotas } from '#core/usage/quotas.ts'
import type { Config } from '../../config/config.ts'
import { createReserve } from '../supervisor/reserve.ts'
import { AUTHORITY_FILE } from '../tls/authority.ts'
import { openIssuer } from '../tls/certificates.ts'
import { VERSION } from '../version.ts'
import { openContents } from './content/contents.ts'
import { allowedAuthority } from './domain/domains.ts'
import { openRegistrar } from './domain/registrar.ts'
import { openRepositories } from './git/git.ts'
import { createMachineWatch } from './machine/machine-watch.ts'
import { openAllows, openLookUp } from './outbound.ts'
import type { Parts } from './parts.ts'
import { openShared } from './shared.ts'

export async function openParts(
  config: Config,
  log: Log,
  channel: Channel | undefined,
  clock: Clock = systemClock,
): Promise<Parts> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const masterKey = await loadMasterKey({
    file: join(config.dataDir, 'master.key'),
    configured: config.masterKey?.reveal(),
    // Written when the first secret had been sealed.
    isNeeded: existsSync(join(config.dataDir, AUTHORITY_FILE)),
  })
  const disk = createDiskSpace(config.dataDir)
  const reserve = createReserve(config.dataDir)
  const url = config.databaseUrl?.reveal()
  const file = join(config.dataDir, 'aloft.db')
  const logFile = join(config.dataDir, 'logs.db')
  const database = await openDatabase({ url, file })
  const logDatabase = await openLogDatabase({ url, file: logFile }, log)
  const logStore = createLogStore(logDatabase.db)
  const trafficStore = createTrafficStore(logDatabase.db)
  const traffic = new TrafficRecorder({ store: trafficStore, clock, log })
  const shared = await openShared(config, { log, channel, clock })
  const { bus, limiter } = shared
  const changes = createChangeAnnouncer({ bus })
  const storeParts = {
    clock,
    onJobs: () => bus.publish(JOBS_TOPIC, ''),
    onChanges: changes.tell,
    site: config.baseUrl,
    makeRoom: reserve.giveUp,
  }
  const hasRoom = () => url !== undefined || disk.hasRoomFor('logs')
  const logWriter = new LogWriter({ store: logStore, bus, clock, log, hasRoom })
  const stores = createStores(database.db, storeParts)
  const transact = createTransact(database.db, storeParts)
  const contents = await openContents(config, {
    index: createContentIndex(database.db),
    settings: stores.settings,
    ...{ disk, clock, log },
    onDamage: (sha256) => stores.files.addDamaged(sha256, clock.now()),
  })
  const { blobs } = contents
  const vault = createVault(masterKey)
  const quotaSettings = createQuotaSettings({ settings: stores.settings, transact, bus, clock })
  const quotas = createQuotas({ stores, settings: quotaSettings, clock })
  const logAllowance = new LogAllowance({ quotas, usage: stores.usage, clock, log })
  const zones = createZoneSource(database.db, { ...config, authority: allowedAuthority(config) })
  const machines = createMachineWatch(url === undefined ? undefined : stores.machines, { clock, log })
  const outbound = createOutbound({ allows: openAllows(config), resolve: openLookUp() })
  return {
    disk,
    reserve,
    blobs,
    contents,
    logStore,
    logWriter,
    logAllowance,
    trafficStore,
    traffic,
    sites: createSiteSource(database.db, config),
    registrar: openRegistrar(config, createRegistry(database.db), clock),
    zones,
    stores,
    transact,
    vault,
    issuer: openIssuer(config, { stores, vault, clock, log, bus, zones, machines }),
    resolver: createDnsResolver({ servers: config.resolvers, allows: openAllows(config, [53]) }),
    outbound,
    bus,
    machines,
    limiter,
    clock,
    // The clock of one machine is the one that all its processes have.
    leaseTime: url === undefined ? undefined : createDatabaseClock(database.db, clock),
    dataVersion: database.version,
    log,
    quotaSettings,
    quotas,
    backups: createBackups({
      folder: join(config.dataDir, 'backup'),
      source: createTableSource({ url, file, logFile }),
      blobs,
      repositories: createRepositoryFiles(
        join(config.dataDir, 'git'),
        openRepositories(config, { stores, blobs, clock }),
      ),
      masterKey,
      version: VERSION,
      clock,
      log,
    }),
    databaseFacts: () => databaseFacts(database, file),
    logFacts: async () => ({
      bytes: await logStore.bytes(),
      recording: hasRoom(),
      damaged: [...(await listSetAside(logFile)), ...(isMarkedDamaged(logFile) ? [basename(logFile)] : [])],
    }),
    async migrate() {
      const newer = [...(await database.migrate()), ...(await logDatabase.migrate())]
      if (newer.length > 0)
        log.warn({ newer }, 'the database was migrated by a newer version: this version uses it as it is')
    },
    checkHealth: database.check,
    async close() {
      machines.stop()
      outbound.close()
      await logWriter.close()
      await logAllowance.flush()
      await traffic.close()
      changes.flush()
      await shared.close()
      await blobs.close()
      await logDatabase.close()
      await database.close()
    },
  }
}
