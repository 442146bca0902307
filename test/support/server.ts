import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import PostalMime, { type Email } from 'postal-mime'
import { JobRunner } from '#core/job/job-runner.ts'
import { BuildFailure } from '#core/ports/builder.ts'
import { OutboundFailure } from '#core/ports/outbound.ts'
import type { Resolver } from '#core/ports/resolver.ts'
import { issueToken } from '#core/token/tokens.ts'
import { ensureUser } from '#core/user/users.ts'
import { createListeners } from '#listener/listener.ts'
import { readConfig } from '#src/config/config.ts'
import { buildApi } from '#src/process/api/build-api.ts'
import { openParts } from '#src/process/compose/open-parts.ts'
import type { Parts } from '#src/process/compose/parts.ts'
import { fastLaneOf } from '#src/process/compose/serving/build-handler.ts'
import { createHostSwitch } from '#src/process/compose/serving/hosts.ts'
import { createJobHandlers, createUseCases, type Workers } from '#src/process/compose/use-cases.ts'
import { buildEdge } from '#src/process/serve.ts'
import { openMailer } from '#src/process/work.ts'
import type { SshLimits } from '#ssh/ssh-limits.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { copyDatabases } from './database/sqlite-template.ts'
import { createScriptedResolver } from './dns/scripted-resolver.ts'
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
  /** The port of SSH; 0 unless `ssh` was asked for. */
  readonly sshPort: number
  readonly parts: Parts
  readonly clock: TestClock
  call(on: string, options?: CallOptions): Promise<Answer>
  /** A request to a site: what a visitor of this host gets. */
  visit(host: string, path: string, headers?: Record<string, string>): Promise<Answer>
  /** A new account with a token. How people make theirs, by mail, is a test of its own. */
  signUp(email?: string): Promise<Account>
  operator(): Promise<Account>
  /** Every mail so far, oldest first, after all jobs that are due are done. */
  mails(to?: string): Promise<Email[]>
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

/** The whole API in this process, on a free port, on the database that the url names. */
export async function startServer(
  options: StartOptions & { readonly databaseUrl?: string | undefined } = {},
): Promise<TestServer> {
  const folder = await mkdtemp(join(quickFolder, 'aloft-test-'))
  const clock = createTestClock()
  const config = readConfig({
    ALOFT_DATA_DIR: folder,
    ALOFT_RATE_LIMIT: '100000',
    ALOFT_BASE_URL: 'http://aloft.test',
    ...(options.databaseUrl ? { ALOFT_DATABASE_URL: options.databaseUrl } : {}),
    ...options.env,
  })
  if (config.databaseUrl === undefined && config.dataDir === folder) await copyDatabases(folder)
  const opened = await openParts(config, silentLog, undefined, clock)
  const asksTheWorld = config.resolvers !== undefined
  const resolver = options.resolver ?? (asksTheWorld ? opened.resolver : createScriptedResolver())
  const parts = { ...opened, resolver }
  await parts.migrate()
  const mailer = openMailer(config)
  const runner = new JobRunner({
    store: parts.stores.jobs,
    transact: parts.transact,
    handlers: createJobHandlers(config, parts, { mailer, ...NO_BUILDS, ...options.workers }),
    bus: parts.bus,
    clock,
    log: silentLog,
    worker: 'test',
  })
  const use = createUseCases(config, parts)
  const api = await buildApi(config, parts, use, undefined)
  const edge = await buildEdge(config, parts)
  const listeners = createListeners({
    host: '127.0.0.1',
    port: 0,
    tlsPort: 0,
    handle: createHostSwitch({ ...config, api, sites: edge.handle }),
    fastLane: fastLaneOf(edge),
    certificateFor: () => Promise.reject(new Error('no TLS here')),
    log: silentLog,
  })
  const { port } = await listeners.listen()
  // Loaded only by tests that want it.
  const ssh =
    options.ssh &&
    (await (
      await import('#src/process/compose/git/ssh.ts')
    ).startSsh(config, parts, use, {
      reusePort: false,
      limits: options.ssh,
    }))
  const url = `http://127.0.0.1:${port}`
  const agent = new Agent({ keepAlive: true })
  let signUps = 0
  /** Of the outbox, by their files, which do not change. */
  const parsedMails = new Map<string, Email>()

  const server: TestServer = {
    url,
    dataDir: config.dataDir,
    sshPort: ssh?.port ?? 0,
    parts,
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
      const request = httpRequest({ port, host: '127.0.0.1', path, headers: { host, ...headers }, agent })
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

    async operator() {
      await use.operators.bootstrap(OPERATOR)
      const me = await server.call('GET /v2/user', { token: OPERATOR.token })
      return { ...OPERATOR, id: me.body.user.id, username: me.body.user.username }
    },

    async mails(to) {
      await runner.idle()
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

    runJobs: () => runner.idle(),
    startJobs: () => runner.start(),

    async close() {
      agent.destroy()
      await runner.drain(1000)
      use.logs.close()
      use.changes.close()
      await Promise.all([listeners.drain(1000), ssh?.drain(1000)])
      await edge.close()
      mailer.close()
      await parts.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return server
}
