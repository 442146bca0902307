import type { Stores } from '#adapters/sql/stores.ts'
import type { TrafficRecorder } from '#core/analytics/traffic-recorder.ts'
import type { TrafficStore } from '#core/analytics/traffic-store.ts'
import type { ZoneSource } from '#core/dns/zone.ts'
import type { LogStore } from '#core/log/log-store.ts'
import type { LogWriter } from '#core/log/write/log-writer.ts'
import type { Backups } from '#core/operator/backup.ts'
import type { Status } from '#core/operator/status.ts'
import type { BlobStore } from '#core/ports/blob-store.ts'
import type { Bus } from '#core/ports/bus.ts'
import type { CertificateIssuer } from '#core/ports/certificate-issuer.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { DataVersion } from '#core/ports/data-version.ts'
import type { DiskSpace } from '#core/ports/disk-space.ts'
import type { Log } from '#core/ports/log.ts'
import type { Outbound } from '#core/ports/outbound.ts'
import type { RateLimiter } from '#core/ports/rate-limiter.ts'
import type { Registrar } from '#core/ports/registrar.ts'
import type { Resolver } from '#core/ports/resolver.ts'
import type { Transact } from '#core/ports/transact.ts'
import type { Vault } from '#core/ports/vault.ts'
import type { SiteSource } from '#core/site/site.ts'
import type { LogAllowance } from '#core/usage/log-allowance.ts'
import type { QuotaSettings } from '#core/usage/quota-settings.ts'
import type { Quotas } from '#core/usage/quotas.ts'
import type { Reserve } from '../supervisor/reserve.ts'
import type { Contents } from './content/contents.ts'
import type { MachineWatch } from './machine/machine-watch.ts'

/** What every process is made of, whatever it does with it. */
export interface Parts {
  /** The disk of the data folder. */
  readonly disk: DiskSpace
  readonly reserve: Reserve
  readonly stores: Stores
  readonly transact: Transact<Stores>
  readonly vault: Vault
  readonly blobs: BlobStore
  readonly contents: Pick<Contents, 'moving' | 'bytes' | 'claim'>
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
  /** Those of the installation; looked at from `start` on. */
  readonly machines: MachineWatch
  readonly limiter: RateLimiter
  readonly clock: Clock
  /** By which leases run out, where several machines have to agree on it. */
  readonly leaseTime: (() => Promise<number>) | undefined
  /** Of everything but the logs. */
  readonly dataVersion: DataVersion
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
