import assert from 'node:assert/strict'
import type { Scopes } from '#core/application/application.ts'
import type { Answer, TestServer } from './server.ts'

interface RegisteredApplication {
  readonly id: string
  readonly clientId: string
  readonly clientSecret: string
  readonly slug: string
  readonly redirectUrl: string
}

export const REDIRECT_URL = 'https://app.example/callback?from=aloft'

/** Registers an application in the name of whoever has the token. */
export async function registerApplication(
  server: TestServer,
  token: string,
  body: { readonly scopes?: Scopes; readonly [field: string]: unknown } = {},
  query = '',
): Promise<RegisteredApplication> {
  const answer = await server.call(`POST /v1/integrations/applications${query}`, {
    token,
    body: { name: 'Watcher', redirectUrl: REDIRECT_URL, scopes: { project: 'read' }, ...body },
  })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

export const form = (fields: Readonly<Record<string, string>>) => ({
  body: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})

/** Where an answer leads back to, and with what. */
export const ledTo = (answer: Answer): URLSearchParams => {
  assert.equal(answer.status, 303, JSON.stringify(answer.body))
  return new URL(answer.headers.get('location') ?? '').searchParams
}

/** Consents as a script does, with a token in the place of a session. */
export const consent = async (
  server: TestServer,
  token: string,
  { clientId }: Pick<RegisteredApplication, 'clientId'>,
  fields: Readonly<Record<string, string>> = {},
): Promise<URLSearchParams> => {
  const { body, headers } = form({ client_id: clientId, ...fields })
  return ledTo(await server.call('POST /oauth/authorize', { token, body, headers }))
}

export const exchange = (
  server: TestServer,
  application: RegisteredApplication,
  code: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  server.call(
    'POST /v2/oauth/access_token',
    form({
      client_id: application.clientId,
      client_secret: application.clientSecret,
      code,
      redirect_uri: application.redirectUrl,
      ...fields,
    }),
  )

interface InstalledApplication {
  readonly token: string
  readonly configurationId: string
}

/** An application in somebody's account, with its token. */
export async function install(
  server: TestServer,
  token: string,
  application: RegisteredApplication,
  fields: Readonly<Record<string, string>> = {},
): Promise<InstalledApplication> {
  const back = await consent(server, token, application, fields)
  const { status, body } = await exchange(server, application, back.get('code') ?? '')
  assert.equal(status, 200, JSON.stringify(body))
  return { token: body.access_token, configurationId: body.installation_id }
}
