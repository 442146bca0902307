import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createBackups } from '#adapters/backup-tar/backups.ts'
import { createFsBlobStore } from '#adapters/blob-fs/fs-blob-store.ts'
import { createDiskSpace } from '#adapters/fs/disk-space.ts'
import { createOutbound } from '#adapters/outbound-http/outbound-http.ts'
import { createDnsResolver } from '#adapters/resolver-dns/dns-resolver.ts'
import { createTableSource } from '#adapters/sql/backup/table-source.ts'
import { isMarkedDamaged, listSetAside } from '#adapters/sql/database/damaged-file.ts'
import { openDatabase } from '#adapters/sql/database/database.ts'
import { databaseFacts } from '#adapters/sql/database/database-facts.ts'
import { createTransact } from '#adapters/sql/database/transact.ts'
import { createSiteSource } from '#adapters/sql/deployment/site-source.ts'
import { createRegistry } from '#adapters/sql/domain/registry-store.ts'
import { createZoneSource } from '#adapters/sql/domain/zone-source.ts'
import { openLogDatabase } from '#adapters/sql/log/log-database.ts'
import { createLogStore } from '#adapters/sql/log/log-store.ts'
import { createTrafficStore } from '#adapters/sql/log/traffic-store.ts'
import { createStores, type Stores } from '#adapters/sql/stores.ts'
import { loadMasterKey } from '#adapters/vault-aes/master-key.ts'
import { createVault } from '#adapters/vault-aes/vault.ts'
import { TrafficRecorder } from '#core/analytics/traffic-recorder.ts'
import type { TrafficStore } from '#core/analytics/traffic-store.ts'
import { createChangeTeller } from '#core/change/change-teller.ts'
import type { ZoneSource } from '#core/dns/zone.ts'
import { JOBS_TOPIC } from '#core/job/job-queue.ts'
import type { LogStore } from '#core/log/log-store.ts'
import { LogWriter } from '#core/log/log-writer.ts'
import type { Backups } from '#core/operator/backup.ts'
import type { Status } from '#core/operator/status.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import type { Bus } from '#core/ports/bus.ts'
import type { CertificateIssuer } from '#core/ports/certificate-issuer.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { DiskSpace } from '#core/ports/disk-space.ts'
import type { Log } from '#core/ports/log.ts'
import type { Outbound } from '#core/ports/outbound.ts'
import type { RateLimiter } from '#core/ports/rate-limiter.ts'
import type { Registrar } from '#core/ports/registrar.ts'
import type { Resolver } from '#core/ports/resolver.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import type { Transact } from '#core/ports/transact.ts'
import type { Vault } from '#core/ports/vault.ts'
import type { SiteSource } from '#core/site/site.ts'
import { LogAllowance } from '#core/usage/log-allowance.ts'
import { createQuotaSettings, type QuotaSettings } from '#core/usage/quota-settings.ts'
import { createQuotas, type Quotas } from '#core/usage/quotas.ts'
import type { Config } from '../../config/config.ts'
import type { Channel } from '../supervisor/channel.ts'
import { createReserve, type Reserve } from '../supervisor/reserve.ts'
import { openIssuer } from '../tls/certificates.ts'
import { VERSION } from '../version.ts'
import { openAllows } from './outbound.ts'
import { openRegistrar } from './registrar.ts'
import { openShared } from './shared.ts'

/** What every process is made of, whatever it does with it. */
export interface Parts {
  /** The disk of the data folder. */
  readonly disk: DiskSpace
  readonly reserve: Reserve
  readonly stores: Stores
  readonly transact: Transact<Stores>
  readonly vault: Vault
  readonly blobs: BlobStore
  readonly sites: SiteSource
  /** Of users; the platform's own is not among them. */
  readonly zones: ZoneSource
  readonly registrar: Registrar
  readonly logStore: LogStore
  readonly logWriter: LogWriter
  /** How much accounts may add to the log. */
  readonly logAllowance: LogAllowance
  readonly trafficStore: TrafficStore
  /** Counts visits. */
  readonly traffic: TrafficRecorder
  /** What the world's DNS says. */
  readonly resolver: Resolver
  /** Who makes certificates for hosts outside the platform's domain. */
  readonly issuer: CertificateIssuer
  /** To addresses that users gave. */
  readonly outbound: Outbound
  readonly bus: Bus
  readonly limiter: RateLimiter
  readonly clock: Clock
  readonly log: Log
  readonly backups: Backups
  readonly quotaSettings: QuotaSettings
  /** What accounts may use, and what they do. */
  readonly quotas: Quotas
  databaseFacts(): Promise<Status['database']>
  logFacts(): Promise<Status['logs']>
  /** Brings the schemas of the databases up to date. */
  migrate(): Promise<void>
  /** Rejects when the database does not answer. */
  checkHealth(): Promise<void>
  close(): Promise<void>
}

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
  const changes = createChangeTeller({ bus })
  const storeParts = {
    clock,
    onJobs: () => bus.publish(JOBS_TOPIC, ''),
    onChanges: changes.tell,
    site: config.baseUrl,
    makeRoom: reserve.giveUp,
  }
  const blobs = await createFsBlobStore({
    folder: join(config.dataDir, 'blobs'),
    clock,
    log,
    hasRoom: () => disk.hasRoomFor('content'),
    onDamage: (sha256) => stores.files.addDamaged(sha256, clock.now()),
  })
  const hasRoom = () => url !== undefined || disk.hasRoomFor('logs')
  const logWriter = new LogWriter({ store: logStore, bus, clock, log, hasRoom })
  const stores = createStores(database.db, storeParts)
  const vault = createVault(masterKey)
  const quotaSettings = createQuotaSettings({ settings: stores.settings, bus, clock })
  const quotas = createQuotas({ stores, settings: quotaSettings, clock })
  const logAllowance = new LogAllowance({ quotas, usage: stores.usage, clock, log })
  const zones = createZoneSource(database.db, config)
  const outbound = createOutbound({ allows: openAllows(config) })
  return {
    disk,
    reserve,
    blobs,
    logStore,
    logWriter,
    logAllowance,
    trafficStore,
    traffic,
    sites: createSiteSource(database.db, config),
    registrar: openRegistrar(config, createRegistry(database.db), clock),
    zones,
    stores,
    transact: createTransact(database.db, storeParts),
    vault,
    issuer: openIssuer(config, { stores, vault, clock, log, bus, zones }),
    resolver: createDnsResolver({ servers: config.resolvers, allows: openAllows(config, [53]) }),
    outbound,
    bus,
    limiter,
    clock,
    log,
    quotaSettings,
    quotas,
    backups: createBackups({
      folder: join(config.dataDir, 'backup'),
      source: createTableSource({ url, file, logFile }),
      blobs,
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
      await database.migrate()
      await logDatabase.migrate()
    },
    checkHealth: database.check,
    async close() {
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
