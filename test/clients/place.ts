import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import type { Installation } from '#test/support/installation.ts'

/** Where the steps of a client happen: an installation, and somebody who uses it. */
export interface Place {
  readonly url: string
  /** By TLS, which some clients insist on. Its authority is the installation's own. */
  readonly secureUrl: string
  readonly token: string
  readonly domain: string
  readonly email: string
  readonly username: string
  /** Somebody who can be invited. */
  readonly guest: { readonly id: string; readonly email: string }
  /** A name that no other client uses. */
  name(of: string): string
  /** What a visitor of a site sees at its first page, or at another path. */
  visit(host: string, path?: string): Promise<string>
  /** A call of the API as this project documents it. */
  // biome-ignore lint/suspicious/noExplicitAny: steps look into whatever was answered
  api(on: string, body?: unknown): Promise<any>
  buy(domain: string): Promise<void>
  /** Lets a new application into the account, as somebody does who agrees to it. Answers the id of the installation. */
  installApplication(): Promise<string>
  /** Uploads a file, as this project documents it. */
  upload(text: string): Promise<void>
  /** Accepts the login that was asked for last, as somebody does who opens the link of the mail. */
  acceptLogin(email: string): Promise<void>
  folder(of: string): Promise<string>
}

export async function openPlace({ url, port, tlsPort, token, folder }: Installation): Promise<Place> {
  const api: Place['api'] = async (on, body) => {
    const [method = '', path = ''] = on.split(' ')
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${on} answered ${response.status}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  async function visit(host: string, path = '/'): Promise<string> {
    const asked = request({ port, host: '127.0.0.1', path, headers: { host } })
    asked.end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    return Buffer.concat(await response.toArray()).toString('utf8')
  }

  const opened = new Set<string>()

  /** The link of a mail to an address that was not opened yet. */
  async function linkFor(email: string): Promise<string> {
    const outbox = join(folder, 'data', 'outbox')
    for (;;) {
      const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml')).sort()
      for (const name of names) {
        const mail = await PostalMime.parse(await readFile(join(outbox, name)))
        const link = /\S+\/login\/accept\?token=\S+/.exec(mail.text ?? '')?.[0]
        if (mail.to?.[0]?.address !== email || link === undefined || opened.has(link)) continue
        opened.add(link)
        return link
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  async function acceptLogin(email: string): Promise<void> {
    const { pathname, searchParams } = new URL(await linkFor(email))
    await fetch(`${url}${pathname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token: searchParams.get('token') ?? '' }),
    })
  }

  /** An account is made by signing in for the first time. */
  async function signUp(email: string): Promise<{ id: string; email: string }> {
    const asked = await api('POST /platform/registration', { email, tokenName: 'guest' })
    await acceptLogin(email)
    const query = new URLSearchParams({ email, token: asked.token })
    const { token: theirs } = await api(`GET /platform/registration/verify?${query}`)
    const me = await fetch(`${url}/v2/user`, { headers: { authorization: `Bearer ${theirs}` } })
    const { user } = (await me.json()) as { user: { id: string } }
    return { id: user.id, email }
  }

  async function installApplication(): Promise<string> {
    const { clientId, clientSecret, redirectUrl } = await api('POST /v1/integrations/applications', {
      name: 'Watcher',
      redirectUrl: 'https://app.example/callback',
      scopes: { project: 'read' },
    })
    const post = (path: string, fields: Record<string, string>): Promise<Response> =>
      fetch(`${url}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { authorization: `Bearer ${token}` },
        body: new URLSearchParams({ client_id: clientId, ...fields }),
      })
    const agreed = await post('/oauth/authorize', {})
    const { searchParams } = new URL(agreed.headers.get('location') ?? '')
    const exchanged = await post('/v2/oauth/access_token', {
      client_secret: clientSecret,
      code: searchParams.get('code') ?? '',
      redirect_uri: redirectUrl,
    })
    const { installation_id: id } = (await exchanged.json()) as { installation_id: string }
    return id
  }

  const { user } = await api('GET /v2/user')
  return {
    url,
    secureUrl: `https://127.0.0.1:${tlsPort}`,
    token,
    domain: 'localhost',
    email: user.email,
    username: user.username,
    guest: await signUp(`guest-${randomBytes(3).toString('hex')}@aloft.test`),
    name: (of) => `${of}-${randomBytes(3).toString('hex')}`,
    visit,
    api,
    async buy(name) {
      const { price } = await api(`GET /v4/domains/price?name=${name}`)
      await api('POST /v4/domains/buy', { name, expectedPrice: price })
    },
    async upload(text) {
      const digest = createHash('sha1').update(text).digest('hex')
      const sent = await fetch(`${url}/v2/platform/files`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'x-platform-digest': digest },
        body: text,
      })
      if (!sent.ok) throw new Error(`the file was not taken: ${await sent.text()}`)
    },
    installApplication,
    acceptLogin,
    folder: (of) => mkdtemp(join(tmpdir(), `aloft-client-${of}-`)),
  }
}
