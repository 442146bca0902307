import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { after, before, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import PostalMime from 'postal-mime'
import { freePort } from './free-port.ts'
import { type Installation, type InstallationOptions, install } from './installation.ts'

const root = resolve(import.meta.dirname, '../..')

/** What is attacked: the program as people run it, and how to reach it. */
export type Attacked = Pick<Installation, 'url' | 'port' | 'tlsPort' | 'folder' | 'token'> & {
  readonly dnsPort: number
}

/** Why the long part of an attack is left out, if so: `npm test` has the short parts. */
export const onlyShort: string | false =
  process.env.ALOFT_ATTACKS === undefined && '`npm run test:attacks` runs this'

/** Counts what one test tries beyond one thing, for the table of `npm run test:attacks`. */
export const tried = (t: TestContext, count: number): void => t.diagnostic(`tried ${count}`)

export async function installAttacked(
  options: InstallationOptions = {},
): Promise<{ readonly aloft: Attacked; close(): Promise<void> }> {
  // Made by `npm start` and by `npm test` already; for those who run one file by itself.
  spawnSync(process.execPath, ['scripts/build-dashboard.js'], { cwd: root })
  const dnsPort = await freePort()
  const env = { ALOFT_DNS_PORT: String(dnsPort), ALOFT_RATE_LIMIT: '100000', ...options.env }
  const aloft = await install({ ...options, env })
  return {
    aloft: { ...aloft, dnsPort },
    close: () => aloft.remove(),
  }
}

/** The installation that the run has started for all files; for a file that runs by itself, one of its own. */
export function useAttacked(): () => Attacked {
  const given = process.env.ALOFT_ATTACKED
  let found: Attacked | undefined = given === undefined ? undefined : JSON.parse(given)
  if (found === undefined) {
    let own: Awaited<ReturnType<typeof installAttacked>> | undefined
    before(async () => {
      own = await installAttacked()
      found = own.aloft
    })
    after(() => own?.close())
  }
  return () => found as Attacked
}

export interface Called {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever the server answered
  readonly body: any
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export async function callApi(
  { url, token }: Pick<Attacked, 'url' | 'token'>,
  on: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Called> {
  const [method = 'GET', path = '/'] = on.split(' ')
  const answer = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: parsed(text) }
}

/** The link of the newest mail to this address that is none of `seen`. */
async function linkFor(
  { folder }: Pick<Attacked, 'folder'>,
  email: string,
  seen: ReadonlySet<string> = new Set(),
): Promise<string> {
  const outbox = join(folder, 'data', 'outbox')
  for (const name of (await readdir(outbox).catch(() => [])).sort().reverse()) {
    if (!name.endsWith('.eml')) continue
    const mail = await PostalMime.parse(await readFile(join(outbox, name)))
    const link = /\/login\/accept\?token=\w+/.exec(mail.text ?? '')?.[0]
    if (link && !seen.has(link) && mail.to?.some(({ address }) => address === email)) return link
  }
  await new Promise((resolve) => setTimeout(resolve, 50))
  return linkFor({ folder }, email, seen)
}

/** Another person of the installation, with a token of their own. */
export async function signUp(aloft: Attacked, email: string): Promise<Attacked> {
  const asked = await callApi(aloft, 'POST /platform/registration', { email, tokenName: 'attack' })
  assert.equal(asked.status, 200, JSON.stringify(asked.body))
  const link = await linkFor(aloft, email)
  await fetch(aloft.url + link, { method: 'POST' })
  const query = new URLSearchParams({ email, token: asked.body.token })
  const { status, body } = await callApi(aloft, `GET /platform/registration/verify?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return { ...aloft, token: body.token }
}

/** Signs a person in with a real browser, by the mail. */
export async function signInAs(aloft: Attacked, page: Page, base: string, email: string): Promise<void> {
  await page.goto(`${base}/login`)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Print sign-in link' }).click()
  await page.waitForURL('**/login/wait**')
  const code = (await page.locator('.code').textContent()) ?? ''
  const outbox = join(aloft.folder, 'data', 'outbox')
  for (let link: string | undefined; link === undefined; ) {
    for (const name of await readdir(outbox).catch(() => [])) {
      const mail = name.endsWith('.eml') ? await PostalMime.parse(await readFile(join(outbox, name))) : null
      if (mail?.subject?.endsWith(code)) link = /\/login\/accept\?token=\w+/.exec(mail.text ?? '')?.[0]
    }
    if (link) await fetch(aloft.url + link, { method: 'POST' })
    else await page.waitForTimeout(50)
  }
  await page.waitForURL((url) => !url.pathname.startsWith('/login'))
}
