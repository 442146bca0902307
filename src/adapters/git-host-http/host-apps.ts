import { createSign } from 'node:crypto'
import { SECOND } from '#contract/time.ts'
import type { AppKey, HostApps, Installation } from '#core/git/app/host-apps.ts'
import { HostRefusal } from '#core/git/host/host-api.ts'
import { type Json, object, text } from '#core/git/pull/pull-payload.ts'
import type { Clock } from '#core/ports/clock.ts'
import { type HostAnswer, type HostCall, type HostRequest, items } from './host-call.ts'

/** Before now, since the host may be behind; GitHub takes ten minutes from then, and one less stays clear of that. */
const BEFORE = 60
const LASTS = 9 * 60
/** By how much clocks may differ before the host's own is used. */
const SKEW = 10 * SECOND
const PER_PAGE = 100

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** As which an app signs in: a JSON Web Token in the form of RFC 7519, signed with RS256. */
function appToken({ hostId, pem }: Pick<AppKey, 'hostId' | 'pem'>, now: number): string {
  const iat = Math.floor(now / SECOND) - BEFORE
  const signed = `${base64({ alg: 'RS256', typ: 'JWT' })}.${base64({ iat, exp: iat + LASTS, iss: hostId })}`
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(pem, 'base64url')}`
}

const read = ({ id, account, suspended_at }: Json): Installation => {
  const { login, id: accountId } = object(account)
  return {
    id: String(id),
    login: text(login),
    accountId: String(accountId ?? ''),
    isSuspended: typeof suspended_at === 'string',
  }
}

export function createHostApps(call: HostCall, { clock }: { readonly clock: Clock }): HostApps {
  async function asApp(app: AppKey, request: HostRequest, signal: AbortSignal): Promise<HostAnswer> {
    const at = (now: number) =>
      call({ kind: 'github', url: app.url, username: 'git', token: appToken(app, now) }, request, signal)
    const now = clock.now()
    try {
      return await at(now)
    } catch (error) {
      // Of a token that is of another time by its clock, the host says only that it is not valid.
      const theirs = error instanceof HostRefusal && error.status === 401 ? error.date : undefined
      if (theirs === undefined || Math.abs(theirs - now) < SKEW) throw error
      return at(theirs)
    }
  }

  const missing = (error: unknown): undefined => {
    if (error instanceof HostRefusal && error.status === 404) return undefined
    throw error
  }

  return {
    async convert(url, code, signal) {
      const path = `/app-manifests/${encodeURIComponent(code)}/conversions`
      const { body } = await call(
        { kind: 'github', url, username: 'git', token: '' },
        { method: 'POST', path },
        signal,
      )
      const made = object(body)
      const [pem, htmlUrl] = [text(made.pem), URL.parse(text(made.html_url))]
      // What it says is opened in browsers later on.
      if (made.id === undefined || !pem.includes('PRIVATE KEY') || htmlUrl?.origin !== new URL(url).origin)
        throw new HostRefusal(`${new URL(url).hostname} did not describe the app as GitHub does`, undefined)
      return {
        hostId: String(made.id),
        name: text(made.name).slice(0, 100),
        htmlUrl: htmlUrl.href,
        pem,
        clientSecret: text(made.client_secret) || null,
        webhookSecret: text(made.webhook_secret) || null,
      }
    },

    async installations(app, signal) {
      const { body } = await asApp(
        app,
        { method: 'GET', path: `/app/installations?per_page=${PER_PAGE}` },
        signal,
      )
      return items(body).map(read)
    },

    async installation(app, id, signal) {
      const path = `/app/installations/${encodeURIComponent(id)}`
      const found = await asApp(app, { method: 'GET', path }, signal).catch(missing)
      return found && read(object(found.body))
    },

    async token(app, installationId, signal) {
      const path = `/app/installations/${encodeURIComponent(installationId)}/access_tokens`
      const { body } = await asApp(app, { method: 'POST', path, body: {} }, signal)
      const { token, expires_at } = object(body)
      const expiresAt = Date.parse(text(expires_at))
      if (text(token) === '' || Number.isNaN(expiresAt))
        throw new HostRefusal(`${new URL(app.url).hostname} gave no token for the app`, undefined)
      return { token: text(token), expiresAt }
    },
  }
}
