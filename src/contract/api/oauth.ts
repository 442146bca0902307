import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { PUBLIC } from '../scopes.ts'
import { Nullable } from './shared.ts'

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

/** What a client may send people here with. */
const asked = {
  client_id: text(200),
  redirect_uri: text(2048),
  response_type: text(100),
  state: text(4096),
  scope: text(2048),
  code_challenge: text(200),
  code_challenge_method: text(20),
  /** The team to install it in; the person's own account unless said. */
  teamId: text(100),
}

const page = { page: 'by-accept', access: PUBLIC } as const

export const authorizePage = endpoint({
  ...page,
  on: 'GET /oauth/authorize',
  summary: 'Page to approve an application',
  query: Type.Object(asked),
  reply: 'raw',
})

export const authorize = endpoint({
  ...page,
  on: 'POST /oauth/authorize',
  summary: 'Approve or reject an application, then redirect back to it',
  form: true,
  bodyLimit: 64 * 1024,
  query: Type.Object(asked),
  body: Type.Object(
    {
      ...asked,
      csrf: text(128),
      shown: Type.Optional(
        Type.String({
          maxLength: 2048,
          description:
            'The scopes that the page showed, such as `read:project read-write:deployment`. If the application requests others by now, the page is shown again. Not needed with a token.',
        }),
      ),
      decision: text(20),
      projectSelection: text(20),
      projects: Type.Optional(
        Type.Unknown({ description: 'Ids or names, as a list or separated by commas.' }),
      ),
    },
    { description: 'Checkboxes of the page are named `project <id>`.' },
  ),
  reply: 'raw',
})

export const accessToken = endpoint({
  on: 'POST /v2/oauth/access_token',
  summary: 'Exchange an authorization code for a token',
  access: PUBLIC,
  form: true,
  noStore: true,
  bodyLimit: 64 * 1024,
  body: Type.Object({
    client_id: text(200),
    client_secret: text(200),
    code: text(200),
    redirect_uri: text(2048),
    grant_type: text(100),
    code_verifier: text(200),
  }),
  reply: Type.Object({
    token_type: Type.String(),
    access_token: Type.String(),
    installation_id: Type.String(),
    user_id: Type.String(),
    team_id: Nullable(Type.String()),
  }),
})
