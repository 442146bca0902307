import { listAliases } from '#contract/api/alias.ts'
import { listApplications } from '#contract/api/application.ts'
import { readAuditLog } from '#contract/api/audit.ts'
import { listCertificates } from '#contract/api/certificate.ts'
import { CHANGE_KINDS, type Change, type ChangeKind } from '#contract/api/change.ts'
import { listCrons } from '#contract/api/cron.ts'
import { listDeployments } from '#contract/api/deployment.ts'
import { listDnsRecords } from '#contract/api/dns-record.ts'
import { listDomains } from '#contract/api/domain.ts'
import { listDrains } from '#contract/api/drain.ts'
import { listVariables } from '#contract/api/env-variable.ts'
import { listPushes } from '#contract/api/git.ts'
import { listGitConnections } from '#contract/api/git-connection.ts'
import { listConfigurations } from '#contract/api/installation.ts'
import { listProjects } from '#contract/api/project.ts'
import { listProjectDomains } from '#contract/api/project-domain.ts'
import { listSecrets } from '#contract/api/secret.ts'
import { listSessions } from '#contract/api/session.ts'
import { getTeam, listMembers } from '#contract/api/team.ts'
import { listTokens } from '#contract/api/token.ts'
import { getUser } from '#contract/api/user.ts'
import { listDeliveries, listWebhooks } from '#contract/api/webhook.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { AloftError } from '#contract/errors.ts'
import { authorise } from '../access/authorise.ts'
import type { Context } from '../access/context.ts'
import { reaches } from '../installation/installation.ts'
import type { OwnedChange } from './change.ts'

/** Where what changed can be read: who may not do that hears nothing of it. */
const READ_BY: Readonly<Record<ChangeKind, Endpoint>> = {
  deployment: listDeployments,
  project: listProjects,
  env: listVariables,
  secret: listSecrets,
  alias: listAliases,
  'project-domain': listProjectDomains,
  domain: listDomains,
  'dns-record': listDnsRecords,
  certificate: listCertificates,
  team: getTeam,
  member: listMembers,
  webhook: listWebhooks,
  delivery: listDeliveries,
  drain: listDrains,
  cron: listCrons,
  push: listPushes,
  'git-connection': listGitConnections,
  integration: listConfigurations,
  application: listApplications,
  user: getUser,
  token: listTokens,
  session: listSessions,
  audit: readAuditLog,
}

/** What is a person's own, and concerns them also while they act for a team. */
const OF_PEOPLE: ReadonlySet<ChangeKind> = new Set<ChangeKind>(['user', 'token', 'session', 'team'])

/** What a listener hears of. */
export interface Audible {
  readonly kinds: ReadonlySet<ChangeKind>
  /** The accounts that it is about: the one that they act for, and their own. */
  readonly accounts: ReadonlySet<string>
  hears(change: OwnedChange): boolean
}

export function audibleTo(ctx: Context): Audible {
  const { actor, owner } = ctx
  const { installation } = actor
  const kinds = new Set(CHANGE_KINDS.filter((kind) => mayRead(ctx, kind)))
  return {
    kinds,
    accounts: new Set([owner.id, actor.user.id]),
    hears({ ownerId, kind, projectId }) {
      if (!kinds.has(kind)) return false
      if (ownerId !== owner.id)
        return installation === undefined && ownerId === actor.user.id && OF_PEOPLE.has(kind)
      return !installation || projectId === undefined || reaches(installation, projectId)
    },
  }
}

function mayRead({ actor, owner }: Context, kind: ChangeKind): boolean {
  if (kind === 'audit' && owner.role !== 'OWNER') return false
  try {
    authorise(READ_BY[kind], actor, owner)
    return true
  } catch (error) {
    if (error instanceof AloftError) return false
    throw error
  }
}

/** More of one kind than this at once is said as one. */
const APART = 16

/** In the words of the contract: what changed, not whose it is. */
export function announcedAs(changes: readonly OwnedChange[]): readonly Change[] {
  const many = new Set(
    Object.entries(Object.groupBy(changes, ({ kind }) => kind))
      .filter(([, of]) => of.length > APART)
      .map(([kind]) => kind as ChangeKind),
  )
  return [
    ...changes
      .filter(({ kind }) => !many.has(kind))
      .map(({ kind, id, projectId }) => ({
        kind,
        ...(id === undefined ? {} : { id }),
        ...(projectId === undefined ? {} : { projectId }),
      })),
    ...[...many].map((kind) => ({ kind })),
  ]
}
