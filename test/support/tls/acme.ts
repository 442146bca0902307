import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createAuthority } from '#adapters/cert-local/authority.ts'
import { createLocalIssuer } from '#adapters/cert-local/issuer.ts'
import { createMemoryBus } from '#adapters/memory/memory-bus.ts'
import { openDatabase } from '#adapters/sql/database/database.ts'
import { createStores, type Stores } from '#adapters/sql/stores.ts'
import { createVault } from '#adapters/vault-aes/vault.ts'
import type { Zone, ZoneSource } from '#core/dns/zone.ts'
import { type AnyResponse, isHttp2 } from '#core/http-message.ts'
import type { CertificateIssuer } from '#core/ports/certificate-issuer.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { startDnsServer } from '#dns/server.ts'
import { createListeners } from '#listener/listener.ts'
import { hostOf } from '#src/process/compose/serving/hosts.ts'
import { openAcmeIssuer } from '#src/process/tls/acme/acme.ts'
import { answerHttpChallenges } from '#src/process/tls/acme/acme-http.ts'
import { createTlsChallenges } from '#src/process/tls/acme/acme-tls.ts'
import { createCertificateChooser } from '#src/process/tls/tls-certificates.ts'
import { removeDatabase, usualDatabase } from '../database/databases.ts'
import { silentLog } from '../silent-log.ts'
import { type Pebble, startPebble } from './pebble.ts'

export interface AcmeSetting {
  readonly pebble: Pebble
  readonly stores: Stores
  readonly tlsPort: number
  /** Ways that were looked at, each as `<kind> <host>`. */
  readonly looked: string[]
  /** As another process of the installation has it, or this one after a restart with another address for mail. */
  issuer(mail?: { readonly acmeEmail: string | undefined }): CertificateIssuer
  stop(): Promise<void>
}

/** Names below it are ours, but we do not answer for them in DNS as far as the issuer knows. */
export const FOREIGN = 'foreign.test'
export const SERVED = 'served.test'

/** A certificate authority, and all that answers it: HTTP, TLS and DNS as in a serving process. */
export async function startAcme(): Promise<AcmeSetting> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-acme-'))
  const url = await usualDatabase()
  const database = await openDatabase({ url, file: join(folder, 'aloft.db') })
  await database.migrate()
  const stores = createStores(database.db, { clock: systemClock, onJobs: () => {} })
  const vault = createVault(randomBytes(32))
  const bus = createMemoryBus({ log: silentLog })
  const parts = { stores, vault, clock: systemClock, log: silentLog, bus }
  const looked: string[] = []

  const zoneOf = (apex: string): ZoneSource => ({
    async find(name): Promise<Zone | undefined> {
      if (name !== apex && !name.endsWith(`.${apex}`)) return undefined
      const host = name.replace(/^_acme-challenge\./, '')
      const proofs = await stores.challenges.find('dns-01', host, Date.now())
      const address = { type: 'A', value: '127.0.0.1', ttl: 1 } as const
      return {
        name: apex,
        serial: 1,
        nameservers: [`ns.${apex}`],
        records: [
          { name: apex, ...address },
          { name: `*.${apex}`, ...address },
          { name: host, ...address },
          ...proofs.map(
            ({ value }) => ({ name: `_acme-challenge.${host}`, type: 'TXT', value, ttl: 1 }) as const,
          ),
        ],
      }
    },
  })
  const served = zoneOf(SERVED)
  const foreign = zoneOf(FOREIGN)
  const dns = await startDnsServer({
    host: '127.0.0.1',
    port: 0,
    zones: {
      async find(name) {
        if (name.startsWith('_acme-challenge.'))
          looked.push(`dns-01 ${name.slice('_acme-challenge.'.length)}`)
        return (await served.find(name)) ?? foreign.find(name)
      },
    },
    resolver: { a: none, aaaa: none, txt: empty, ns: empty, cname: empty, caa: empty },
    bus,
    clock: systemClock,
    log: silentLog,
    cookieSecret: randomBytes(16),
  })

  const answers = { challenges: stores.challenges, vault, clock: systemClock, log: silentLog }
  const http = answerHttpChallenges(answers, (_req, res) => say(res, 404, 'not here'))
  const showTls = createTlsChallenges(answers)
  const listeners = createListeners({
    host: '127.0.0.1',
    port: 0,
    tlsPort: 'any',
    // Hosts called after a way answer no other.
    handle(req, res) {
      const host = hostOf(req)
      looked.push(`http-01 ${host}`)
      return /^(tls|dns|none)\d*\./.test(host) ? say(res, 200, 'wrong') : http(req, res)
    },
    async challengeFor(host) {
      looked.push(`tls-alpn-01 ${host}`)
      if (/^(dns|none)\d*\./.test(host)) throw new Error('not in this way')
      return showTls(host)
    },
    certificateFor: createCertificateChooser({
      issuer: createLocalIssuer({ ...(await createAuthority()), clock: systemClock }),
      domain: 'localhost',
      apiHosts: ['localhost'],
      clock: systemClock,
      log: silentLog,
      max: 10,
    }).certificateFor,
    log: silentLog,
  })
  const { port, tlsPort } = await listeners.listen()
  const pebble = await startPebble({ httpPort: port, tlsPort, dnsPort: dns.port })
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, pebble.trusted])

  return {
    pebble,
    stores,
    tlsPort,
    looked,
    issuer: (mail = { acmeEmail: 'operator@aloft.test' }) =>
      openAcmeIssuer(
        pebble.directory,
        { ...mail, host: '127.0.0.1', dnsPort: dns.port, workers: 1 },
        parts,
        served,
      ),
    async stop() {
      setDefaultCACertificates(trusted)
      await pebble.stop()
      await listeners.drain(0)
      await dns.drain(0)
      await bus.close()
      await database.close()
      await removeDatabase(url)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const say = (res: AnyResponse, status: number, text: string) =>
  isHttp2(res) ? res.writeHead(status).end(text) : res.writeHead(status).end(text)

const none = async () => ({ addresses: [], ttl: 1 })
const empty = async () => []
