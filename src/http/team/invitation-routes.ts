import * as api from '#contract/api/invitation.ts'
import { html } from '#contract/html.ts'
import type { Invitation } from '#core/team/invitation.ts'
import type { Invitations } from '#core/team/invitations.ts'
import { page, pageReply, redirect } from '../answer/page.ts'
import type { Limits } from '../limits.ts'
import { linkToken } from '../request/link-token.ts'
import { publicRoute, type Route, route } from '../route.ts'
import { writeCookie } from '../session/cookies.ts'
import { fromElsewhere, provenanceOf } from '../session/provenance.ts'
import { takeInvitationMail } from './invitation-allowance.ts'

const show = ({ id, email, role, createdAt, expiresAt }: Invitation) => ({
  ...{ id, email, role, createdAt, expiresAt },
})

const askToJoin = (team: string, { email, role }: Invitation, token: string): string =>
  page(
    `Join ${team}`,
    html`<p>You have been invited to join <b>${team}</b> as ${role === 'OWNER' ? 'an owner' : 'a member'}.</p>
<p class="who"><b>${email}</b></p>
<form method="post" action="/invitation"><input type="hidden" name="token" value="${token}"><button>Accept invitation</button></form>
<p class="soft small">If this address has no account yet, one is created. The link works once.</p>`,
  )

export const invitationRoutes = (
  invitations: Invitations,
  site: string,
  limits: Limits,
): readonly Route[] => [
  route(api.createInvitation, async (ctx, { params, body }) => {
    await takeInvitationMail(limits, ctx, body.email)
    return show(await invitations.invite(ctx, params.id, body))
  }),
  route(api.listInvitations, async (ctx, { params }) => ({
    invitations: (await invitations.list(ctx, params.id)).map(show),
  })),
  route(api.revokeInvitation, async (ctx, { params }) => {
    await invitations.revoke(ctx, params.id, params.invitationId)
    return { id: params.invitationId }
  }),
  publicRoute(api.invitationPage, async (_visit, { query }) => {
    const token = linkToken(query.token)
    const { invitation, team } = await invitations.review(token)
    return pageReply(askToJoin(team.name, invitation, token))
  }),
  publicRoute(api.acceptInvitation, async (visit, { body, headers }) => {
    if (provenanceOf(headers, site, visit.secure) === 'foreign') throw fromElsewhere()
    const { bearer, team } = await invitations.accept(visit, linkToken(body.token))
    return redirect(`/a/${team.slug}`, {
      status: 303,
      cookies: [writeCookie('aloft_session', bearer, visit.secure)],
    })
  }),
]
