import * as api from '#contract/api/installation.ts'
import type { ScopeChange } from '#core/installation/installation.ts'
import type { Installations, Installed } from '#core/installation/installations.ts'
import { scopeList } from '#core/installation/scope-change.ts'
import { type Route, route } from '../route.ts'

const queued = ({ added, upgraded, note, requestedAt, confirmedAt }: ScopeChange) => ({
  scopes: { added: scopeList(added), upgraded: scopeList(upgraded) },
  note,
  requestedAt,
  ...(confirmedAt === null ? {} : { confirmedAt }),
})

const shown = ({ installation, application }: Installed) => {
  const { scopesQueue, disabledAt, disabledReason } = installation
  return {
    id: installation.id,
    integrationId: application.id,
    slug: application.slug,
    ownerId: installation.ownerId,
    userId: installation.userId,
    teamId: installation.teamId,
    projectSelection: installation.projectSelection,
    projects: [...installation.projects],
    scopes: scopeList(installation.scopes),
    ...(scopesQueue.length > 0 ? { scopesQueue: scopesQueue.map(queued) } : {}),
    source: 'external',
    type: 'integration-configuration',
    installationType: 'external',
    createdAt: installation.createdAt,
    updatedAt: installation.updatedAt,
    completedAt: installation.createdAt,
    ...(disabledAt === null ? {} : { disabledAt }),
    ...(disabledReason === null ? {} : { disabledReason }),
    deletedAt: null,
  }
}

/** Installations under the name that clients know them by. */
export const installationRoutes = (installations: Installations): readonly Route[] => [
  route(api.listConfigurations, async (ctx) => (await installations.list(ctx)).map(shown)),
  route(api.getConfiguration, async (ctx, { params }) => shown(await installations.get(ctx, params.id))),
  route(api.updateConfiguration, async (ctx, { params, body }) =>
    shown(await installations.select(ctx, params.id, body)),
  ),
  route(api.transferConfiguration, async (ctx, { params, body }) =>
    shown(await installations.transfer(ctx, params.id, body.userId)),
  ),
  route(api.confirmScopes, async (ctx, { params }) =>
    shown(await installations.confirmScopes(ctx, params.id)),
  ),
  route(api.deleteConfiguration, async (ctx, { params }) => {
    await installations.remove(ctx, params.id)
    return undefined
  }),
]
