import { createHash } from 'node:crypto'
import { ask } from './client.ts'
import type { Model, Value } from './model.ts'
import { createRandom, type Random } from './random.ts'
import { type Conversation, converse } from './websocket.ts'

/** Where the load goes; a restarted installation has the same. */
interface Target {
  readonly port: number
  readonly tlsPort: number
  readonly token: string
  readonly ca: Buffer
}

/** What stands while the load runs. */
export interface Sites {
  readonly still: string
  readonly code: string
  readonly chat: string | undefined
  /** Deployments that aliases are pointed at, and what each shows. */
  readonly aimed: readonly { readonly id: string; readonly text: string }[]
  readonly domain: string
  readonly project: string
}

interface Tally {
  ok: number
  failed: number
}

export interface Counts {
  readonly visits: Tally
  readonly api: Tally
  readonly sockets: Tally
  /** Refusals of what is right, and answers that are wrong. */
  readonly wrong: string[]
  /** Why visits failed, and how often. */
  readonly why: Map<string, number>
}

const newCounts = (): Counts => ({
  ...{ visits: { ok: 0, failed: 0 }, api: { ok: 0, failed: 0 }, sockets: { ok: 0, failed: 0 } },
  ...{ wrong: [], why: new Map() },
})

/** Names of a kind that one writer uses. */
const NAMES = 4
const WRITERS = 3
/** Room for everybody else on the machine, unless another pause is said. */
export const PAUSE_MS = 10
/**
 * Much longer than people wait: what is asked and given up may still be carried out later, so that nobody could say what is
 * right. Only what is cut off by a fault goes unanswered.
 */
const CHANGE_MS = 180_000
/** As people and browsers do, before they try again. */
const AFTER_FAILURE_MS = 250

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** People who write, read and visit, until they are told to stop. */
export class Workload {
  readonly #target: Target
  readonly #sites: Sites
  readonly #model: Model
  readonly #pauseMs: number
  readonly #running: Promise<void>[] = []
  /** By key of the model: what the API calls it. */
  readonly #ids = new Map<string, string>()
  #stopped = false
  #held: Promise<void> | undefined
  #busy = 0
  #serial = 0
  counts = newCounts()

  constructor(target: Target, sites: Sites, model: Model, seed: number, pauseMs: number) {
    this.#pauseMs = pauseMs
    this.#target = target
    this.#sites = sites
    this.#model = model
    for (let n = 0; n < WRITERS; n++) this.#running.push(this.#write(n, createRandom(seed + n)))
    this.#running.push(
      this.#visit(sites.still, '/', 'still', false),
      this.#visit(sites.still, '/', 'still', true),
      this.#visit(sites.code, '/api/hello', 'hello', false),
    )
    if (sites.chat !== undefined) this.#running.push(this.#chat(sites.chat))
  }

  /** Forgets what was counted so far. */
  restartCounts(): void {
    this.counts = newCounts()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#running)
  }

  /** Does this while nobody writes. */
  async quietly<T>(work: () => Promise<T>): Promise<T> {
    const done = Promise.withResolvers<void>()
    this.#held = done.promise
    try {
      while (this.#busy > 0) await pause(5)
      return await work()
    } finally {
      this.#held = undefined
      done.resolve()
    }
  }

  async #visit(host: string, path: string, text: string, isSecure: boolean): Promise<void> {
    const { port, tlsPort, ca } = this.#target
    while (!this.#stopped) {
      const where = isSecure ? { port: tlsPort, ca } : { port }
      // Where it was begun, it is counted.
      const { counts } = this
      const answer = await ask({ ...where, host, path }).catch((error: NodeJS.ErrnoException) => {
        const reason = error.code === 'ABORT_ERR' ? 'no answer within 10 s' : (error.code ?? error.message)
        counts.why.set(reason, (counts.why.get(reason) ?? 0) + 1)
      })
      if (answer?.status === 200) counts.visits.ok++
      else counts.visits.failed++
      if (answer && answer.status !== 200) {
        const reason = `${answer.status}`
        counts.why.set(reason, (counts.why.get(reason) ?? 0) + 1)
      }
      if (answer?.status === 200 && answer.text !== text)
        this.counts.wrong.push(`${host}${path} showed ${answer.text.slice(0, 100)}`)
      await pause(answer?.status === 200 ? this.#pauseMs : AFTER_FAILURE_MS)
    }
  }

  async #chat(host: string): Promise<void> {
    let open: Conversation | undefined
    for (let n = 0; !this.#stopped; n++) {
      try {
        open ??= await converse(this.#target.port, host)
        await open.say(`word ${n}`)
        this.counts.sockets.ok++
      } catch {
        open?.end()
        open = undefined
        this.counts.sockets.failed++
        await pause(AFTER_FAILURE_MS)
      }
      await pause(this.#pauseMs)
    }
    open?.end()
  }

  async #write(writer: number, random: Random): Promise<void> {
    const kinds = [
      this.#secret,
      this.#variable,
      this.#record,
      this.#token,
      this.#alias,
      this.#domain,
      this.#site,
    ]
    while (!this.#stopped) {
      while (this.#held !== undefined) await this.#held
      this.#busy++
      const failed = this.counts.api.failed
      try {
        await random.pick(kinds).call(this, `${writer}-${random.below(NAMES)}`)
      } finally {
        this.#busy--
      }
      await pause(this.counts.api.failed === failed ? this.#pauseMs : AFTER_FAILURE_MS)
    }
  }

  /** One request that changes something. Undefined when it is not known whether it did. */
  async #change(
    key: string,
    value: Value,
    on: string,
    body?: unknown,
  ): Promise<Record<string, unknown> | undefined> {
    const acknowledge = this.#model.begin(key, value)
    const answer = await this.call(on, body).catch(() => undefined)
    if (answer === undefined || answer.status >= 500 || answer.status === 429) {
      this.counts.api.failed++
      return undefined
    }
    if (answer.status >= 400) {
      this.counts.wrong.push(`${on} of ${key} answered ${answer.status} ${answer.text.slice(0, 200)}`)
      return undefined
    }
    this.counts.api.ok++
    acknowledge()
    return (answer.text === '' ? {} : JSON.parse(answer.text)) as Record<string, unknown>
  }

  call(on: string, body?: unknown) {
    const [method = 'GET', path = '/'] = on.split(' ')
    const { port, token } = this.#target
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const timeoutMs = CHANGE_MS
    return ask({ port, host: 'localhost', path, method, headers, timeoutMs, ...sent })
  }

  async #secret(name: string): Promise<void> {
    const key = `secret/load-${name}`
    if (!this.#model.isCertain(key)) return
    if (this.#model.get(key) === undefined)
      await this.#change(key, 'there', 'POST /v2/platform/secrets', { name: `load-${name}`, value: 'hush' })
    else await this.#change(key, undefined, `DELETE /v2/platform/secrets/load-${name}`)
  }

  async #variable(name: string): Promise<void> {
    const variable = `LOAD_${name.replace('-', '_')}`
    const key = `variable/${variable}`
    if (!this.#model.isCertain(key)) return
    const at = `/projects/${this.#sites.project}/env`
    const value = `value ${++this.#serial}`
    const id = this.#ids.get(key)
    if (this.#model.get(key) === undefined) {
      const body = { key: variable, value, type: 'encrypted', target: ['preview'] }
      const made = await this.#change(key, value, `POST /v10${at}`, body)
      const created = (made as { created?: { id: string } } | undefined)?.created
      if (created) this.#ids.set(key, created.id)
    } else if (id !== undefined && this.#serial % 3 === 0)
      await this.#change(key, undefined, `DELETE /v9${at}/${id}`)
    else if (id !== undefined) await this.#change(key, value, `PATCH /v9${at}/${id}`, { value })
  }

  async #domain(name: string): Promise<void> {
    const domain = `load-${name}.example`
    const key = `domain/${domain}`
    if (!this.#model.isCertain(key)) return
    if (this.#model.get(key) === undefined)
      await this.#change(key, 'there', 'POST /v4/domains', { name: domain })
    else await this.#change(key, undefined, `DELETE /v4/domains/${domain}`)
  }

  async #record(name: string): Promise<void> {
    const key = `record/load-${name}`
    if (!this.#model.isCertain(key)) return
    const at = `/v2/domains/${this.#sites.domain}/records`
    const id = this.#ids.get(key)
    if (this.#model.get(key) === undefined) {
      const value = `192.0.2.${1 + (++this.#serial % 250)}`
      const made = await this.#change(key, value, `POST ${at}`, { name: `load-${name}`, type: 'A', value })
      if (made) this.#ids.set(key, String(made.uid))
    } else if (id !== undefined) await this.#change(key, undefined, `DELETE ${at}/${id}`)
  }

  async #token(name: string): Promise<void> {
    const key = `token/load-${name}`
    if (!this.#model.isCertain(key)) return
    const id = this.#ids.get(key)
    if (this.#model.get(key) === undefined) {
      const made = await this.#change(key, 'there', 'POST /v3/user/tokens', { name: `load-${name}` })
      const token = (made as { token?: { id: string } } | undefined)?.token
      if (token) this.#ids.set(key, token.id)
    } else if (id !== undefined) await this.#change(key, undefined, `DELETE /v3/user/tokens/${id}`)
  }

  async #alias(name: string): Promise<void> {
    const key = `page/load-${name}.localhost`
    const aim = this.#sites.aimed[++this.#serial % this.#sites.aimed.length]
    if (!aim || !this.#model.isCertain(key) || this.#model.get(key) === aim.text) return
    await this.#change(key, aim.text, `POST /v2/platform/deployments/${aim.id}/aliases`, {
      alias: `load-${name}`,
    })
  }

  /** Uploads a file and deploys it, or deletes what was deployed before. */
  async #site(name: string): Promise<void> {
    const known = this.#ids.get(`site ${name}`)
    if (known !== undefined) {
      const key = `page/${this.#ids.get(`host ${name}`)}`
      this.#ids.delete(`site ${name}`)
      if (this.#model.isCertain(key))
        await this.#change(key, undefined, `DELETE /v8/platform/deployments/${known}`)
      return
    }
    const text = `content ${name} ${++this.#serial}`
    const sha = createHash('sha1').update(text).digest('hex')
    const { port, token } = this.#target
    const headers = { authorization: `Bearer ${token}`, 'x-platform-digest': sha }
    const uploading = {
      port,
      host: 'localhost',
      path: '/v2/platform/files',
      method: 'POST',
      headers,
      body: text,
      timeoutMs: CHANGE_MS,
    }
    const uploaded = await ask(uploading).catch(() => undefined)
    if (uploaded?.status !== 200) return void this.counts.api.failed++
    this.counts.api.ok++
    const body = { version: 2, name: 'load-site', files: [{ file: 'index.html', sha, size: text.length }] }
    const answer = await this.call('POST /v8/platform/deployments', body).catch(() => undefined)
    if (answer?.status !== 200) {
      this.counts.api.failed++
      // The upload was acknowledged: it may not be missing now.
      if (answer?.status === 400)
        this.counts.wrong.push(`a deployment was refused: ${answer.text.slice(0, 300)}`)
      return
    }
    this.counts.api.ok++
    const { id, url } = JSON.parse(answer.text) as { id: string; url: string }
    this.#ids.set(`site ${name}`, id)
    this.#ids.set(`host ${name}`, url)
    this.#model.begin(`page/${url}`, text)()
  }

  /**
   * Asks the API whether changes of pages happened that were not answered. A page itself does not tell: where a process was
   * killed after it had written a change and before it told the others, they show what was there before for a while.
   */
  async decide(): Promise<void> {
    for (const [key, allowed] of this.#model.uncertain('page/')) {
      const host = key.slice('page/'.length)
      const isSite = host.startsWith('load-site-')
      const what = isSite ? 'deployments' : 'aliases'
      const version = isSite ? 'v8' : 'v2'
      const { status, text } = await this.call(`GET /${version}/platform/${what}/${host}`)
      if (status !== 200 && status !== 404) throw new Error(`${what} ${host} answered ${status} ${text}`)
      const found = status === 200 ? (JSON.parse(text) as { deploymentId?: string }) : undefined
      const ofSite = found && [...allowed].find((value) => value !== undefined)
      const ofAlias = this.#sites.aimed.find(({ id }) => id === found?.deploymentId)?.text
      this.#model.decide(key, isSite ? ofSite : ofAlias)
    }
  }

  /** Reads all that the model knows of. */
  async read(): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    const get = async <T>(path: string) => {
      const answer = await this.call(`GET ${path}`)
      if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status} ${answer.text}`)
      return JSON.parse(answer.text) as T
    }
    const isOurs = (name: string) => name.startsWith('load-') && name !== 'load-site'
    const { secrets } = await get<{ secrets: { name: string }[] }>('/v2/platform/secrets?limit=100')
    for (const { name } of secrets) if (isOurs(name)) found.set(`secret/${name}`, 'there')
    const at = `/v9/projects/${this.#sites.project}/env?decrypt=true`
    const { envs } = await get<{ envs: { id: string; key: string; value: string }[] }>(at)
    for (const { id, key, value } of envs) this.#found(found, `variable/${key}`, value, id)
    const { domains } = await get<{ domains: { name: string }[] }>('/v4/domains?limit=100')
    for (const { name } of domains) if (isOurs(name)) found.set(`domain/${name}`, 'there')
    const path = `/v2/domains/${this.#sites.domain}/records?limit=100`
    const { records } = await get<{ records: { id: string; name: string; value: string }[] }>(path)
    for (const { id, name, value } of records)
      if (isOurs(name)) this.#found(found, `record/${name}`, value, id)
    const { tokens } = await get<{ tokens: { id: string; name: string }[] }>('/v3/user/tokens?limit=100')
    for (const { id, name } of tokens) if (isOurs(name)) this.#found(found, `token/${name}`, 'there', id)
    for (const key of this.#model.keys('page/')) {
      const { status, text } = await ask({ port: this.#target.port, host: key.slice(5), path: '/' })
      if (status === 200) found.set(key, text)
      else if (status !== 404 && status !== 410) throw new Error(`${key} answered ${status}`)
    }
    return found
  }

  #found(found: Map<string, string>, key: string, value: string, id: string): void {
    found.set(key, value)
    this.#ids.set(key, id)
  }
}
