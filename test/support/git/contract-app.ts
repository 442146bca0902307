import { createHmac, generateKeyPairSync, randomBytes, randomUUID, verify } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Answer, ContractHost } from './contract-host.ts'

type Json = Record<string, unknown>

interface Manifest {
  readonly name: string
  readonly url: string
  readonly redirect_url: string
  readonly setup_url: string
  readonly public: boolean
  readonly default_permissions: Readonly<Record<string, string>>
  readonly default_events?: readonly string[]
  readonly hook_attributes?: { readonly url: string; readonly active: boolean }
}

interface Made {
  readonly id: number
  readonly manifest: Manifest
  readonly publicKey: string
  readonly webhookSecret: string | null
}

/** GitHub Apps at a contract server: what GitHub's pages and its REST description have of them. */
export interface ContractApps {
  readonly made: Made[]
  readonly installations: { readonly id: number; readonly login: string; suspended: boolean }[]
  /** How many tokens of installations it gave. */
  readonly given: string[]
  /** Somebody presses “Create GitHub App” after a browser has posted the form; answers where the browser is led. */
  create(target: string, manifest: string): URL
  /** Somebody installs it; answers where the browser is led. */
  install(login: string): URL
  /** Calls the webhook of the app. */
  deliver(event: string, payload: object, given?: { secret?: string; id?: string }): Promise<number>
}

const decoded = (part: string | undefined): Json =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8') || '{}')

export function addContractApps(host: ContractHost, now: () => number): ContractApps {
  const codes = new Map<string, Made>()
  const made: Made[] = []
  const installations: ContractApps['installations'] = []
  const given: string[] = []
  const pems = new Map<Made, string>()

  const shown = ({ id, login, suspended }: (typeof installations)[number]) => ({
    id,
    account: { login, id: 7, type: 'User' },
    repository_selection: 'selected',
    app_id: made.at(-1)?.id,
    suspended_at: suspended ? '2026-01-26T19:06:43Z' : null,
  })

  /** “iat” has to be past, “exp” within ten minutes; otherwise GitHub says only 401, and the time. */
  function asApp(request: IncomingMessage): Made | undefined {
    const [head, body, signature] = (request.headers.authorization ?? '').replace('Bearer ', '').split('.')
    const { iat, exp, iss } = decoded(body) as { iat: number; exp: number; iss: string }
    const app = made.find(({ id }) => String(id) === String(iss))
    const seconds = now() / 1000
    const isGood =
      app !== undefined &&
      decoded(head).alg === 'RS256' &&
      iat <= seconds &&
      exp > seconds &&
      exp <= seconds + 600 &&
      verify(
        'RSA-SHA256',
        Buffer.from(`${head}.${body}`),
        app.publicKey,
        Buffer.from(signature ?? '', 'base64url'),
      )
    return isGood ? app : undefined
  }

  host.first = (request, path): Answer | undefined => {
    const [, code] = /^\/app-manifests\/([^/]+)\/conversions$/.exec(path) ?? []
    if (code !== undefined) {
      const app = codes.get(code)
      // Good once.
      codes.delete(code)
      if (request.method !== 'POST' || !app) return [404, { message: 'Not Found' }]
      return [
        201,
        {
          id: app.id,
          slug: `app-${app.id}`,
          node_id: 'MDxOkludGVncmF0aW9uMQ==',
          owner: { login: 'octocat', id: 1 },
          name: app.manifest.name,
          external_url: app.manifest.url,
          html_url: `${host.url}/apps/app-${app.id}`,
          client_id: 'Iv1.8a61f9b3a7aba766',
          client_secret: '1726be1638095a19edd134c77bde3aa2ece1e5d8',
          webhook_secret: app.webhookSecret,
          pem: pems.get(app),
          permissions: app.manifest.default_permissions,
          events: app.manifest.default_events ?? [],
        },
      ]
    }
    if (!path.startsWith('/app/')) return undefined
    if (!asApp(request))
      return [
        401,
        { message: 'A JSON web token could not be decoded' },
        { date: new Date(now()).toUTCString() },
      ]
    if (path === '/app/installations') return [200, installations.map(shown)]
    const [, id, tokens] = /^\/app\/installations\/(\d+)(\/access_tokens)?$/.exec(path) ?? []
    const found = installations.find((one) => String(one.id) === id)
    if (!found) return [404, { message: 'Not Found' }]
    if (!tokens) return [200, shown(found)]
    if (found.suspended) return [403, { message: 'This installation has been suspended' }]
    const token = `ghs_${randomBytes(16).toString('hex')}`
    given.push(token)
    host.tokens.add(token)
    return [201, { token, expires_at: new Date(now() + 3_600_000).toISOString(), permissions: {} }]
  }

  return {
    made,
    installations,
    given,

    create(target, text) {
      const url = new URL(target)
      const manifest = JSON.parse(text) as Manifest
      if (url.origin !== host.url || !/\/settings\/apps\/new$/.test(url.pathname))
        throw new Error(`no manifest is taken at ${target}`)
      if (manifest.name.length > 34 || !URL.canParse(manifest.redirect_url) || !URL.canParse(manifest.url))
        throw new Error('the manifest is refused')
      const { privateKey, publicKey } = generateKeyPairSync('rsa', {
        modulusLength: 2048,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      })
      const app: Made = {
        ...{ id: made.length + 100, manifest, publicKey },
        webhookSecret: manifest.hook_attributes ? randomBytes(20).toString('hex') : null,
      }
      pems.set(app, privateKey)
      made.push(app)
      const code = randomBytes(20).toString('hex')
      codes.set(code, app)
      const back = new URL(manifest.redirect_url)
      back.searchParams.set('code', code)
      back.searchParams.set('state', url.searchParams.get('state') ?? '')
      return back
    },

    install(login) {
      const id = installations.length + 5000
      installations.push({ id, login, suspended: false })
      const back = new URL(made.at(-1)?.manifest.setup_url ?? '')
      back.searchParams.set('installation_id', String(id))
      back.searchParams.set('setup_action', 'install')
      return back
    },

    async deliver(event, payload, { secret, id = randomUUID() } = {}) {
      const app = made.at(-1)
      const body = JSON.stringify({ installation: { id: installations.at(-1)?.id }, ...payload })
      const hex = createHmac('sha256', secret ?? app?.webhookSecret ?? '')
        .update(body)
        .digest('hex')
      const { pathname } = new URL(app?.manifest.hook_attributes?.url ?? '')
      const answer = await fetch(`${host.reaches}${pathname}`, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'x-github-event': event,
          'x-github-delivery': id,
          'x-github-hook-installation-target-type': 'integration',
          ...(secret === '' ? {} : { 'x-hub-signature-256': `sha256=${hex}` }),
        },
      })
      await answer.arrayBuffer()
      return answer.status
    },
  }
}
