import type { IncomingMessage } from 'node:http'
import * as api from '#contract/api/git-app.ts'
import { html } from '#contract/html.ts'
import { type GitApp, installUrlOf } from '#core/git/app/app.ts'
import type { AppDeliveries } from '#core/git/app/app-deliveries.ts'
import type { GitApps, ManifestForm } from '#core/git/app/apps.ts'
import { leavesMuchUnread } from '#core/unread-body.ts'
import { page, pageReply } from '../answer/page.ts'
import { publicRoute, type Route, route } from '../route.ts'
import { shownConnection } from './connection-routes.ts'
import { readAppDelivery } from './read-app-delivery.ts'

export interface AppRouteParts {
  readonly apps: GitApps
  readonly appDeliveries: AppDeliveries
  /** `{base_url}`. */
  readonly site: string
}

const shown = ({ id, url, made, createdBy, createdAt, heardAt, refusedAt }: GitApp) => ({
  ...{ id, url, createdBy, createdAt, heardAt, refusedAt },
  name: made?.name ?? null,
  htmlUrl: made?.htmlUrl ?? null,
  installUrl: made ? installUrlOf(made) : null,
})

/** A browser has to post it: the host takes it from nobody else. Nothing but the one form can leave the page. */
function startPage({ target, manifest }: ManifestForm) {
  const { origin, host } = new URL(target)
  const reply = pageReply(
    page(
      'Connect GitHub',
      html`<p>On the next page, <b>${host}</b> creates a GitHub App that only you own. Then choose the repositories it can read.</p>
<form method="post" action="${target}"><input type="hidden" name="manifest" value="${manifest}"><button>Continue to ${host}</button></form>
<p class="soft small">Only continue if you just requested this: the App will belong to the Aloft account that you are signed in to.</p>`,
    ),
  )
  const policy = String(reply.headers?.['content-security-policy'])
  return {
    ...reply,
    headers: {
      ...reply.headers,
      'content-security-policy': policy.replace("form-action 'self'", `form-action ${origin}`),
      'referrer-policy': 'no-referrer',
    },
  }
}

export const appRoutes = ({ apps, appDeliveries, site }: AppRouteParts): readonly Route[] => [
  route(api.createGitApp, async (ctx, { body }) => {
    const { app, state } = await apps.begin(ctx, body)
    return { id: app.id, startUrl: `${site}/v1/git/apps/start/${state}` }
  }),
  publicRoute(api.startGitApp, async (_visit, { params }) => startPage(await apps.form(params.state))),
  route(api.convertGitApp, async (ctx, { params, body }) => shown(await apps.convert(ctx, params.id, body))),
  route(api.refreshGitApp, async (ctx, { params }) => ({
    connections: (await apps.installed(ctx, params.id)).map(shownConnection),
  })),
  route(api.listGitApps, async (ctx) => ({ apps: (await apps.list(ctx)).map(shown) })),
  route(api.deleteGitApp, async (ctx, { params }) => {
    await apps.remove(ctx, params.id)
    return undefined
  }),
  publicRoute(api.callGitApp, async ({ ip }, { params, headers, body }) => {
    try {
      return { projects: await appDeliveries.called(params.id, readAppDelivery(headers, body, ip)) }
    } finally {
      if (!leavesMuchUnread(body as IncomingMessage)) body.resume()
    }
  }),
]
