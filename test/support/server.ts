import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import PostalMime, { type Email } from 'postal-mime'
import type { Channel } from '#adapters/ipc/channel.ts'
import { createTrustedProxies } from '#core/access/trusted-proxies.ts'
import { JobRunner } from '#core/job/job-runner.ts'
import { BuildFailure } from '#core/ports/builder.ts'
import type { Clock } from '#core/ports/clock.ts'
import { OutboundFailure } from '#core/ports/outbound.ts'
import type { Resolver } from '#core/ports/resolver.ts'
import { issueToken } from '#core/token/tokens.ts'
import { ensureUser } from '#core/user/users.ts'
import { createListeners } from '#listener/listener.ts'
import type { FastLane } from '#listener/listener-fast-lane.ts'
import { type Config, readConfig } from '#src/config/config.ts'
import { buildApi } from '#src/process/api/build-api.ts'
import { openParts } from '#src/process/compose/open-parts.ts'
import type { Parts } from '#src/process/compose/parts.ts'
import { fastLaneOf } from '#src/process/compose/serving/build-handler.ts'
import { createHostSwitch } from '#src/process/compose/serving/hosts.ts'
import { createJobHandlers, createUseCases, type Workers } from '#src/process/compose/use-cases.ts'
import { buildEdge } from '#src/process/serve.ts'
import { openMailer } from '#src/process/work.ts'
import type { SshLimits } from '#ssh/ssh-limits.ts'
import { countingAsStored } from './claimed-contents.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { copyDatabases } from './database/sqlite-template.ts'
import { createScriptedResolver } from './dns/scripted-resolver.ts'
import { createProcessHub } from './process/process-hub.ts'
import { dropSeveral, isSeveral, openSeveral } from './several.ts'
import { silentLog } from './silent-log.ts'
import { quickFolder } from './storage/quick-folder.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever the server answered
  readonly body: any
}

export interface CallOptions {
  readonly token?: string | undefined
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

export interface Account {
  readonly id: string
  readonly token: string
  readonly email: string
  readonly username: string
}

export interface TestServer {
  readonly url: string
  readonly dataDir: string
  /** Undefined where the database is the embedded one. */
  readonly databaseUrl: string | undefined
  /** The port of SSH; 0 unless `ssh` was asked for. */
  readonly sshPort: number
  readonly parts: Parts
  /** Of each server that takes requests in turn. */
  readonly allParts: readonly Parts[]
  readonly clock: TestClock
  call(on: string, options?: CallOptions): Promise<Answer>
  /** A request to a site: what a visitor of this host gets. */
  visit(host: string, path: string, headers?: Record<string, string>): Promise<Answer>
  /** A new account with a token. How people make theirs, by mail, is a test of its own. */
  signUp(email?: string): Promise<Account>
  newTeam(owner: Account, ...members: readonly Account[]): Promise<{ readonly id: string }>
  operator(): Promise<Account>
  /** Every mail so far, oldest first, after all jobs that are due are done. */
  mails(to?: string): Promise<Email[]>
  /** Calls the listener once for each message of a topic, whichever server sends it. */
  hear(topic: string, listener: (message: string) => void): () => void
  /** What is to be in the logs so far is, whichever server has it. */
  flushLogs(): Promise<void>
  /** Every visit so far is counted; later ones are not. */
  endTraffic(): Promise<void>
  /** Does all jobs that are due; the next server does, where there are several. */
  runJobs(): Promise<void>
  /** From now on jobs come round by themselves, as the clock says. */
  startJobs(): Promise<void>
  close(): Promise<void>
}

/** What builds and runs code is not part of these tests. */
const NO_BUILDS: Omit<Workers, 'mailer'> = {
  builder: { build: () => Promise.reject(new BuildFailure('no_builder', 'Nothing is built here.')) },
  boot: () => Promise.reject(new Error('nothing runs here')),
  outbound: {
    post: () => Promise.reject(new OutboundFailure('connection', 'nothing is sent here')),
    send: () => Promise.reject(new OutboundFailure('connection', 'nothing is sent here')),
    open: () => Promise.reject(new OutboundFailure('connection', 'nothing is sent here')),
    close() {},
  },
  buildsAtOnce: 1,
}

const OPERATOR = { email: 'operator@aloft.test', token: 'operator-token-0123456789' }

export interface StartOptions {
  readonly env?: Record<string, string>
  /** In the place of what builds and runs code. */
  readonly workers?: Partial<Omit<Workers, 'mailer'>>
  /** In the place of the world's DNS, in which tests find nothing unless they name its servers. */
  readonly resolver?: Resolver
  /** Git over SSH, too. */
  readonly ssh?: Partial<SshLimits>
}

interface ServerPlace {
  /** To the others, where there are several. */
  readonly channel: Channel | undefined
  readonly worker: string
  readonly ssh?: Partial<SshLimits> | undefined
}

/** One server within this process: what it remembers and its connections are its own. */
async function openServer(
  config: Config,
  { clock, resolver, workers }: StartOptions & { readonly clock: Clock },
  { channel, worker, ssh: limits }: ServerPlace,
) {
  const opened = await openParts(config, silentLog, channel, clock)
  // Leases run out by the clock of the test, too.
  const parts = { ...opened, leaseTime: undefined, ...(resolver ? { resolver } : {}) }
  await parts.migrate()
  const mailer = openMailer(config)
  const working = { mailer, ...NO_BUILDS, ...workers }
  const { blobs, builder } = countingAsStored({ ...parts, ...working })
  const runner = new JobRunner({
    store: parts.stores.jobs,
    transact: parts.transact,
    handlers: createJobHandlers(config, { ...parts, blobs }, { ...working, builder }),
    bus: parts.bus,
    clock,
    log: silentLog,
    worker,
  })
  const use = createUseCases(config, parts)
  const api = await buildApi(config, parts, use, channel)
  const edge = await buildEdge(config, parts)
  // As a serving process does: what it looked up before it hears of changes would be served as it was then.
  if (channel) await parts.bus.untilHearing?.()
  // Loaded only by tests that want it.
  const ssh =
    limits &&
    (await (
      await import('#src/process/compose/git/ssh.ts')
    ).startSsh(config, parts, use, {
      reusePort: false,
      limits,
    }))
  return {
    ...{ parts, use, runner, sshPort: ssh?.port ?? 0, fastLane: fastLaneOf(edge) },
    handle: createHostSwitch({ ...config, api, sites: edge.handle }),
    async endJobs() {
      await runner.drain(1000)
      use.logs.close()
      use.changes.close()
    },
    async close() {
      await ssh?.drain(1000)
      await edge.close()
      mailer.close()
      await parts.close()
    },
  }
}

/** Each of them, one after the other, again and again. */
function inTurn<T>(all: readonly [T, ...T[]]): () => T {
  let turn = 0
  return () => all[turn++ % all.length] ?? all[0]
}

/** A connection is taken by the next of them. */
function lanesInTurn(
  servers: readonly [{ readonly fastLane: FastLane }, ...{ readonly fastLane: FastLane }[]],
): FastLane {
  const next = inTurn(servers)
  return {
    take: (socket, handOver) => next().fastLane.take(socket, handOver),
    takeHttp2: (socket, given) => next().fastLane.takeHttp2(socket, given),
    takeStream: (stream, headers) => next().fastLane.takeStream(stream, headers),
    release(forGood) {
      for (const { fastLane } of servers) fastLane.release(forGood)
    },
  }
}

/**
 * The whole API in this process, on a free port, on the database that the url names. With `npm run test:postgres` there
 * are two of it on PostgreSQL, which take requests in turn.
 */
export async function startServer(
  options: StartOptions & { readonly databaseUrl?: string | undefined } = {},
): Promise<TestServer> {
  const folder = await mkdtemp(join(quickFolder, 'aloft-test-'))
  const clock = createTestClock()
  const namesData = options.databaseUrl ?? options.env?.ALOFT_DATABASE_URL ?? options.env?.ALOFT_DATA_DIR
  const own = isSeveral && namesData === undefined ? await openSeveral({ migrated: true }) : undefined
  const databaseUrl = options.databaseUrl ?? own
  const config = readConfig({
    ALOFT_DATA_DIR: folder,
    ALOFT_RATE_LIMIT: '100000',
    ALOFT_BASE_URL: 'http://aloft.test',
    ...(databaseUrl ? { ALOFT_DATABASE_URL: databaseUrl } : {}),
    ...options.env,
  })
  if (config.databaseUrl === undefined && config.dataDir === folder) await copyDatabases(folder)
  const asksTheWorld = config.resolvers !== undefined
  const resolver = options.resolver ?? (asksTheWorld ? undefined : createScriptedResolver())
  const common = { ...options, clock, ...(resolver ? { resolver } : {}) }
  const hub = isSeveral && config.databaseUrl !== undefined ? createProcessHub(clock) : undefined
  const first = await openServer(config, common, {
    ...{ channel: hub?.join(), worker: 'test', ssh: options.ssh },
  })
  const servers = hub
    ? ([first, await openServer(config, common, { channel: hub.join(), worker: 'test-2' })] as const)
    : ([first] as const)
  const { parts, use } = first
  const nextRunner = inTurn(servers)
  const nextHandle = inTurn(servers)
  const listeners = createListeners({
    host: '127.0.0.1',
    port: 0,
    tlsPort: 0,
    handle: (req, res) => nextHandle().handle(req, res),
    fastLane: lanesInTurn(servers),
    trustedProxies: createTrustedProxies(config.trustedProxies),
    certificateFor: () => Promise.reject(new Error('no TLS here')),
    log: silentLog,
  })
  const { port } = await listeners.listen()
  const url = `http://127.0.0.1:${port}`
  // A connection stays with whom it was taken by.
  const agent = new Agent({ keepAlive: hub === undefined })
  let signUps = 0
  let teams = 0
  /** Of the outbox, by their files, which do not change. */
  const parsedMails = new Map<string, Email>()

  const server: TestServer = {
    url,
    dataDir: config.dataDir,
    databaseUrl: config.databaseUrl?.reveal(),
    sshPort: first.sshPort,
    parts,
    allParts: servers.map((each) => each.parts),
    clock,

    async call(on, { token, body, headers } = {}) {
      const [method, path] = on.split(' ') as [string, string]
      const response = await fetch(`${url}${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined || typeof body === 'string' ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json') ?? false
      return {
        status: response.status,
        headers: response.headers,
        body: isJson && text !== '' ? JSON.parse(text) : text,
      }
    },

    async visit(host, path, headers = {}) {
      const request = httpRequest({
        port,
        host: '127.0.0.1',
        path,
        headers: { host, ...headers },
        agent,
      })
      request.end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      const body = Buffer.concat(await response.toArray()).toString('utf8')
      const pairs = Object.entries(response.headersDistinct).flatMap(([name, values]) =>
        (values ?? []).map((value): [string, string] => [name, value]),
      )
      return { status: response.statusCode ?? 0, headers: new Headers(pairs), body }
    },

    async signUp(email = `user${++signUps}@aloft.test`) {
      const name = 'test'
      return parts.transact(async ({ users, tokens }) => {
        const { id, username } = await ensureUser(users, email, { clock, defaultPlan: config.defaultPlan })
        const { bearer } = await issueToken(tokens, { userId: id, name, kind: 'login', now: clock.now() })
        return { id, token: bearer, email, username }
      })
    },

    async newTeam({ token, username }, ...members) {
      const slug = `${username}-${++teams}`
      const { body: team } = await server.call('POST /v1/teams', { token, body: { slug } })
      for (const { email } of members)
        await server.call(`POST /v1/teams/${team.id}/members`, { token, body: { email } })
      return team
    },

    async operator() {
      await use.operators.bootstrap(OPERATOR)
      const me = await server.call('GET /v2/user', { token: OPERATOR.token })
      return { ...OPERATOR, id: me.body.user.id, username: me.body.user.username }
    },

    async mails(to) {
      await server.runJobs()
      const outbox = join(folder, 'outbox')
      const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml')).sort()
      const mails = await Promise.all(
        names.map(async (name) => {
          const mail = parsedMails.get(name) ?? (await PostalMime.parse(await readFile(join(outbox, name))))
          parsedMails.set(name, mail)
          return mail
        }),
      )
      return to === undefined ? mails : mails.filter((mail) => mail.to?.[0]?.address === to)
    },

    hear: (topic, listener) => (hub?.bus ?? parts.bus).subscribe(topic, listener),
    async flushLogs() {
      for (const { parts } of servers) await parts.logWriter.flush()
    },
    async endTraffic() {
      for (const { parts } of servers) await parts.traffic.close()
    },

    runJobs: () => nextRunner().runner.idle(),
    async startJobs() {
      for (const { runner } of servers) await runner.start()
    },

    async close() {
      agent.destroy()
      for (const each of servers) await each.endJobs()
      await listeners.drain(1000)
      for (const each of servers) await each.close()
      if (own) await dropSeveral(own)
      await rm(folder, { recursive: true, force: true })
    },
  }
  return server
}
