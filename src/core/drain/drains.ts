import { AloftError, invalidRequest, noSuch } from '#contract/errors.ts'
import { newId } from '#contract/ids.ts'
import { SECOND } from '#contract/time.ts'
import type { Context } from '../access/context.ts'
import { requirePlan } from '../access/plan.ts'
import type { ApplicationStore } from '../application/application-store.ts'
import { type Installation, reaches } from '../installation/installation.ts'
import type { InstallationStore } from '../installation/installation-store.ts'
import { firstSerialOf } from '../log/serial.ts'
import type { Allows } from '../outbound/allowed-addresses.ts'
import { readUrl } from '../outbound/read-url.ts'
import type { Clock } from '../ports/clock.ts'
import type { Locks } from '../ports/locks.ts'
import { type Outbound, OutboundFailure } from '../ports/outbound.ts'
import type { Transact } from '../ports/transact.ts'
import type { Vault } from '../ports/vault.ts'
import type { ProjectStore } from '../project/project-store.ts'
import {
  type Drain,
  drainHeadersPurpose,
  drainSecretPurpose,
  MOST_DRAINS,
  OTHER_VERIFY_HEADER,
  VERIFY_HEADER,
  verifyCodeOf,
} from './drain.ts'
import type { DrainStore } from './drain-store.ts'
import { CONTENT_TYPE, joinItems } from './format-batch.ts'
import { readHeaders } from './read-drain.ts'

export interface DrainRequest extends Pick<Drain, 'name' | 'url' | 'format'> {
  readonly projectIds?: Drain['projectIds'] | undefined
  readonly sources?: Drain['sources'] | undefined
  readonly environments?: Drain['environments'] | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly secret?: string | undefined
  readonly samplingRate?: number | undefined
}

/** A drain, and the application that it belongs to. */
export interface KnownDrain {
  readonly drain: Drain
  readonly clientId: string | null
}

/** People have to do with all drains of an account, applications with their own alone. */
export interface Drains {
  /** Answers once the address has shown that it wants the logs of this account. */
  create(ctx: Context, request: DrainRequest): Promise<KnownDrain>
  list(ctx: Context): Promise<readonly KnownDrain[]>
  get(ctx: Context, id: string): Promise<KnownDrain>
  remove(ctx: Context, id: string): Promise<void>
}

interface DrainStores {
  readonly locks: Locks
  readonly drains: DrainStore
  readonly projects: Pick<ProjectStore, 'byIdOrName'>
}

interface DrainParts {
  readonly stores: DrainStores & {
    readonly installations: Pick<InstallationStore, 'byId'>
    readonly applications: Pick<ApplicationStore, 'byId'>
  }
  readonly transact: Transact<DrainStores>
  readonly vault: Vault
  readonly clock: Clock
  readonly outbound: Pick<Outbound, 'post'>
  /** Which addresses requests may be sent to. */
  readonly allowsAddress: Allows
  /** Whether addresses have to agree before they are sent anything. */
  readonly verifies: boolean
  /** Tells those who send logs that there are other drains now. */
  readonly onChanged: () => void
}

const VERIFY_TIME = 10 * SECOND

export function createDrains(parts: DrainParts): Drains {
  const { stores, transact, vault, clock } = parts

  const isMine = ({ actor: { installation } }: Context, drain: Drain): boolean =>
    installation === undefined || drain.installationId === installation.id

  async function owned(ctx: Context, id: string): Promise<Drain> {
    const drain = await stores.drains.find(ctx.owner.id, id)
    if (!drain || !isMine(ctx, drain)) throw unknown(id)
    return drain
  }

  async function known(drain: Drain): Promise<KnownDrain> {
    if (drain.installationId === null) return { drain, clientId: null }
    const installation = await stores.installations.byId(drain.installationId)
    const application = installation && (await stores.applications.byId(installation.applicationId))
    return { drain, clientId: application?.clientId ?? null }
  }

  async function check({ drains, projects, locks }: DrainStores, ctx: Context, drain: Drain): Promise<void> {
    await locks.take('drains', ctx.owner.id)
    if ((await drains.list(ctx.owner.id)).length >= MOST_DRAINS)
      throw new AloftError('conflict', `An account has at most ${MOST_DRAINS} log drains.`)
    for (const id of drain.projectIds ?? []) {
      const project = await projects.byIdOrName(ctx.owner.id, id)
      if (project?.id !== id || !isInReach(ctx.actor.installation, id))
        throw invalidRequest(`there is no project \`${id.slice(0, 100)}\``)
    }
  }

  return {
    async create(ctx, request) {
      requirePlan(ctx.owner, 'pro', 'Log drains')
      const id = newId.drain()
      const headers = readHeaders(request.headers)
      const drain: Drain = {
        id,
        ownerId: ctx.owner.id,
        installationId: ctx.actor.installation?.id ?? null,
        name: request.name,
        url: readUrl(request.url, parts.allowsAddress),
        format: request.format,
        projectIds: each(request.projectIds),
        sources: each(request.sources),
        environments: each(request.environments),
        sealedHeaders: headers ? vault.seal(JSON.stringify(headers), drainHeadersPurpose(id)) : null,
        sealedSecret:
          request.secret === undefined ? null : vault.seal(request.secret, drainSecretPurpose(id)),
        samplingRate: request.samplingRate ?? 1,
        status: 'enabled',
        failingSince: null,
        createdAt: clock.now(),
      }
      await check(stores, ctx, drain)
      if (parts.verifies) await verify(parts.outbound, drain, headers ?? {})
      const position = String(firstSerialOf(clock.now()))
      await transact(async (tx) => {
        await check(tx, ctx, drain)
        await tx.drains.add(drain, position)
      })
      parts.onChanged()
      return known(drain)
    },

    async list(ctx) {
      const all = await stores.drains.list(ctx.owner.id)
      return Promise.all(all.filter((drain) => isMine(ctx, drain)).map(known))
    },

    get: async (ctx, id) => known(await owned(ctx, id)),

    async remove(ctx, id) {
      await transact(async ({ drains }) => {
        const drain = await drains.find(ctx.owner.id, id)
        if (!drain || !isMine(ctx, drain) || !(await drains.remove(ctx.owner.id, id))) throw unknown(id)
      })
      parts.onChanged()
    },
  }
}

const unknown = (id: string) => noSuch('log drain', id)

const isInReach = (installation: Installation | undefined, projectId: string): boolean =>
  installation === undefined || reaches(installation, projectId)

const each = <T>(list: readonly T[] | null | undefined): readonly T[] | null =>
  list === null || list === undefined ? null : [...new Set(list)]

/** Sends a batch without entries, to which the address has to answer with the code of the account. */
async function verify(
  outbound: Pick<Outbound, 'post'>,
  { url, ownerId, format }: Drain,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const code = verifyCodeOf(ownerId)
  const refuse = (why: string) =>
    new AloftError(
      'invalid_url',
      `Invalid request: \`url\` ${why}. It should respond to POST with 200 and the header \`${VERIFY_HEADER}: ${code}\`.`,
    )
  const answer = await outbound
    .post({
      url,
      headers: { 'user-agent': 'Aloft-Log-Drain', ...headers, 'content-type': CONTENT_TYPE[format] },
      body: joinItems(format, []),
      timeoutMs: VERIFY_TIME,
    })
    .catch((error: unknown) => {
      if (error instanceof OutboundFailure) throw refuse('did not respond')
      throw error
    })
  if (answer.status !== 200) throw refuse(`answers ${answer.status}`)
  const { [VERIFY_HEADER]: ours, [OTHER_VERIFY_HEADER]: theirs } = answer.headers
  if (ours?.trim() !== code && theirs?.trim() !== code) throw refuse('did not respond with the code')
}
