import { statfs } from 'node:fs/promises'
import { freemem, totalmem } from 'node:os'
import { findGitPrograms } from '#adapters/git-cli/git-programs.ts'
import type { Channel } from '#adapters/ipc/channel.ts'
import { checkSwarm } from '#adapters/swarm/check-swarm.ts'
import { DAY, MINUTE } from '#contract/time.ts'
import type { LateJob } from '#core/job/late-jobs.ts'
import { type Check, checksOf, type Status } from '#core/operator/status.ts'
import type { Config } from '../../../config/config.ts'
import { createProcessList, startOfThis } from '../../supervisor/channel/process-list.ts'
import { VERSION } from '../../version.ts'
import { servedAt } from '../domain/dns.ts'
import { createSshAddress } from '../git/ssh-address.ts'
import type { Parts } from '../parts.ts'
import { exposedStores } from './exposed-stores.ts'

/** Certificates renew themselves well before this. */
const SOON = 14 * DAY
/** How long the size of all contents is remembered: it takes a look at every large one. */
const SIZE_KEPT = 5 * MINUTE

type ReadStatus = () => Promise<Status & { readonly checks: readonly Check[] }>

export function createReadStatus(
  config: Config,
  parts: Parts,
  channel: Channel | undefined,
  lateJobs: () => Promise<readonly LateJob[]>,
): ReadStatus {
  const { stores, clock } = parts
  const listProcesses = createProcessList(channel)
  const blobBytes = remembered(parts.contents.bytes, SIZE_KEPT)
  const sshAddress = createSshAddress(config, parts)
  const gitPrograms = remembered(findGitPrograms, MINUTE)
  const startedAt = startOfThis()
  return async () => {
    const [
      { processes, sandbox, works },
      database,
      logs,
      queue,
      expiring,
      disk,
      bytes,
      damaged,
      late,
      toMove,
      programs,
      ssh,
    ] = await Promise.all([
      listProcesses(),
      parts.databaseFacts(),
      parts.logFacts(),
      stores.jobs.counts(),
      stores.certificates.endingBefore(clock.now() + SOON),
      statfs(config.dataDir),
      blobBytes(),
      stores.files.countDamaged(),
      lateJobs(),
      parts.contents.moving?.left() ?? 0,
      gitPrograms(),
      sshAddress(),
    ])
    const status: Status = {
      version: VERSION,
      node: process.versions.node,
      time: clock.now(),
      startedAt,
      origin: config.origin,
      baseUrl: config.baseUrl,
      domain: config.domain,
      addresses: servedAt(parts.machines, config.publicAddresses).map(({ address }) => address),
      nameservers: config.nameservers,
      ports: { http: config.port, tls: config.tlsPort, dns: config.dnsPort },
      database,
      blobs: { bytes, damaged, toMove },
      logs,
      disk: { free: disk.bavail * disk.bsize, total: disk.blocks * disk.bsize },
      memory: { free: freemem(), total: totalmem() },
      processes,
      certificates: { authority: config.acmeDirectory === undefined ? 'local' : 'acme', expiring },
      mail: config.smtpUrl === undefined ? 'outbox' : 'smtp',
      runtime: config.runtime,
      sandbox: { mode: config.sandbox, ...sandbox },
      programs,
      ...(ssh ? { sshServer: { port: ssh.port, hostKeyFingerprint: ssh.hostKeyFingerprint } } : {}),
      exposed: exposedStores(config),
      queue,
      lateJobs: late,
    }
    // A machine that only serves needs no engine.
    const swarm = config.runtime === 'swarm' && works ? [await checkSwarm(process.env.DOCKER_HOST)] : []
    return { ...status, checks: [...checksOf(status), ...swarm] }
  }
}

/** Asked at most once in this time, whoever asks. */
function remembered<T>(read: () => Promise<T>, ms: number): () => Promise<T> {
  let last: { readonly at: number; readonly value: Promise<T> } | undefined
  return () => {
    if (!last || performance.now() - last.at > ms) {
      const value = read()
      last = { at: performance.now(), value }
      value.catch(() => {
        last = undefined
      })
    }
    return last.value
  }
}
