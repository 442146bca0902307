import type { IncomingHttpHeaders } from 'node:http'
import * as api from '#contract/api/oauth.ts'
import type { RawReply } from '#contract/endpoint.ts'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import type { Application } from '#core/application/application.ts'
import { audited } from '#core/audit/audit-trail.ts'
import type { Authorizations } from '#core/oauth/authorizations.ts'
import { redirect } from '../answer/page.ts'
import { auditEntry } from '../audit/audit-entry.ts'
import { publicRoute, type Route } from '../route.ts'
import { readCookie } from '../session/cookies.ts'
import { withNext } from '../session/next.ts'
import type { FindPerson, Person } from '../session/person.ts'
import { fromElsewhere, isCsrfOf, provenanceOf } from '../session/provenance.ts'
import { readClient } from './client.ts'
import { consentPage, shownScopes } from './consent-page.ts'

interface OauthParts {
  readonly authorizations: Authorizations
  readonly findPerson: FindPerson
  readonly site: string
}

/** What a client sends people with, of which only these are sent along from page to page. */
const SENT_ALONG = [
  'client_id',
  'redirect_uri',
  'response_type',
  'state',
  'code_challenge',
  'code_challenge_method',
] as const
type AuthorizeParameters = { readonly [K in (typeof SENT_ALONG)[number]]?: string | undefined }

const along = (asked: AuthorizeParameters): Record<string, string> =>
  Object.fromEntries(
    SENT_ALONG.flatMap((name) => (asked[name] === undefined ? [] : [[name, asked[name]] as const])),
  )

/** Null for the personal account. */
const teamOf = ({ teamId }: { readonly teamId?: string }): string | null =>
  teamId === undefined || teamId === '' ? null : teamId

/** Signing in leads back to the page. */
function toLogin(asked: AuthorizeParameters & { readonly teamId?: string }): RawReply {
  const teamId = teamOf(asked)
  const again = new URLSearchParams({ ...along(asked), ...(teamId === null ? {} : { teamId }) })
  return redirect(withNext('/login', `/oauth/authorize?${again}`), { status: 303 })
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/** Letting applications into accounts, as OAuth 2.0 has it. */
export const oauthRoutes = ({ authorizations, findPerson, site }: OauthParts): readonly Route[] => {
  /** Sends somebody back to the address that the application is registered with, and says who does (RFC 9207). */
  function redirectBack(
    { redirectUrl }: Application,
    { state }: AuthorizeParameters,
    answer: Readonly<Record<string, string>>,
  ): RawReply {
    const url = new URL(redirectUrl)
    const all = { ...answer, iss: site, ...(state === undefined ? {} : { state }) }
    for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
    return redirect(url.href, { status: 303 })
  }

  /** Who asks; throws rather than send anybody to an address that is not registered. */
  async function clientOf({ client_id, redirect_uri }: AuthorizeParameters): Promise<Application> {
    if (client_id === undefined || client_id === '')
      throw invalidRequest('missing required property `client_id`')
    const application = await authorizations.client(client_id)
    if (redirect_uri !== undefined && redirect_uri !== application.redirectUrl)
      throw new AloftError(
        'redirect_uri_mismatch',
        '`redirect_uri` is not the redirect URL the application is registered with.',
      )
    return application
  }

  /** Asks somebody whether to let an application in. */
  async function ask(
    application: Application,
    { user, csrf }: Person,
    asked: AuthorizeParameters & { readonly teamId?: string },
    hasChanged = false,
  ): Promise<RawReply> {
    const teamId = teamOf(asked)
    const choices = await authorizations.choices(user, application, teamId)
    return consentPage({ application, user, csrf, choices, teamId, asked: along(asked), hasChanged })
  }

  return [
    publicRoute(api.authorizePage, async ({ secure }, { query, headers }) => {
      const application = await clientOf(query)
      const problem = problemOf(query)
      if (problem !== undefined) return redirectBack(application, query, { error: problem })
      const person = await findPerson(headers, secure)
      if (!person) return toLogin(query)
      return ask(application, person, query)
    }),

    publicRoute(api.authorize, async (visit, { query, body, headers }) => {
      const { secure } = visit
      const asked = { ...query, ...body }
      const application = await clientOf(asked)
      const person = await findPerson(headers, secure)
      if (!person) return toLogin(asked)
      // Scripts come with a token of their own, which no browser sends by itself.
      if (person.csrf !== undefined) checkOwnForm(headers, body.csrf, secure)
      const problem = problemOf(asked)
      if (problem !== undefined) return redirectBack(application, asked, { error: problem })
      if (body.decision === 'deny') return redirectBack(application, asked, { error: 'access_denied' })
      // Nobody at a browser agrees to more than they were shown. A script was shown nothing: it names the application.
      if (person.csrf !== undefined && body.shown !== shownScopes(application))
        return ask(application, person, asked, true)
      const teamId = teamOf(asked)
      const { code, installation } = await audited(
        auditEntry(
          api.authorize,
          { ownerId: teamId ?? person.user.id, userId: person.user.id, via: person.via },
          { ...visit, params: { applicationId: application.id, name: application.name } },
        ),
        () =>
          authorizations.consent(person.user, application, {
            teamId,
            challenge: asked.code_challenge ?? null,
            ...selectionOf(body),
          }),
      )
      return redirectBack(application, asked, {
        code,
        configurationId: installation.id,
        ...(teamId === null ? {} : { teamId }),
        next: `${site}/`,
      })
    }),

    publicRoute(api.accessToken, async (_visit, { body, headers }) => {
      const { code, redirect_uri, grant_type, code_verifier } = body
      const { id, secret } = readClient(headers, body)
      const missing = Object.entries({ client_id: id, code, redirect_uri }).find(([, value]) => !value)
      if (missing) throw invalidRequest(`missing required property \`${missing[0]}\``)
      if (grant_type !== undefined && grant_type !== 'authorization_code')
        throw invalidRequest('`grant_type` should be `authorization_code`')
      const { bearer, installation, userId } = await authorizations.exchange({
        clientId: id as string,
        clientSecret: secret,
        code: code as string,
        redirectUri: redirect_uri as string,
        verifier: code_verifier,
      })
      return {
        token_type: 'Bearer',
        access_token: bearer,
        installation_id: installation.id,
        user_id: userId,
        team_id: installation.teamId,
      }
    }),
  ]

  function checkOwnForm(headers: IncomingHttpHeaders, csrf: string | undefined, secure: boolean): void {
    if (provenanceOf(headers, site, secure) === 'foreign') throw fromElsewhere()
    const cookie = readCookie(headers, 'aloft_session', secure)
    if (cookie === undefined || !isCsrfOf(csrf, cookie))
      throw new AloftError('forbidden', 'This form has expired. Go back to the application and try again.')
  }
}

/** What is wrong with a request in a way that its client is told of. */
function problemOf(asked: AuthorizeParameters): string | undefined {
  if (asked.response_type !== undefined && asked.response_type !== 'code') return 'unsupported_response_type'
  if (asked.code_challenge === undefined)
    return asked.code_challenge_method === undefined ? undefined : 'invalid_request'
  // What is sent as it is proves nothing to whoever has read along.
  if (asked.code_challenge_method !== 'S256' || !CHALLENGE.test(asked.code_challenge))
    return 'invalid_request'
  return undefined
}

/** The projects that were ticked in the page, or that a script has named. */
function selectionOf(body: Readonly<Record<string, unknown>>) {
  const ticked = Object.keys(body).flatMap((name) => (name.startsWith('project ') ? [name.slice(8)] : []))
  const named = Array.isArray(body.projects)
    ? body.projects.map(String)
    : typeof body.projects === 'string'
      ? body.projects.split(',').map((text) => text.trim())
      : []
  const projects = [...ticked, ...named].filter((text) => text !== '')
  const { projectSelection = 'all' } = body
  if (projectSelection !== 'all' && projectSelection !== 'selected')
    throw invalidRequest('`projectSelection` should be `all` or `selected`')
  return { projectSelection, projects } as const
}
