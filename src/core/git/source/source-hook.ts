import { AloftError } from '#contract/errors.ts'
import { MINUTE } from '#contract/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Vault } from '../../ports/vault.ts'
import type { MadeApp } from '../app/app.ts'
import { asked } from '../host/connections.ts'
import type { Credentials } from '../host/credentials.ts'
import { webhookPurpose } from '../host/delivery.ts'
import type { HostHooks } from '../host/host-hooks.ts'
import { OF_APP } from '../host/unhook-job.ts'
import { type GitSource, repositoryOf, type SourceHook } from './source.ts'

interface SourceHookParts {
  readonly hooks: HostHooks
  readonly credentials: Credentials
  readonly vault: Vault
  readonly clock: Clock
  /** The app of which a connected host is an installation; undefined where it is none. */
  readonly appOf: (connectionId: string) => Promise<Pick<MadeApp, 'isCalling'> | undefined>
  /** `{base_url}`. */
  readonly site: string
}

const NOT_CALLING =
  'GitHub cannot call this installation, because its URL is not on the public internet. The repository is checked every few minutes instead.'

export const webhookUrlOf = (site: string, { projectId, hookSecret }: GitSource): string =>
  `${site}/v1/git/called/${projectId}/${hookSecret}`

/** The webhook of a repository that was connected through its host. */
export function createSourceHook({ hooks, credentials, vault, clock, appOf, site }: SourceHookParts) {
  const accessTo = async (source: GitSource) =>
    source.connectionId === null ? undefined : await credentials.host(source)

  /** In words, why the host did not do it. */
  const why = async (source: GitSource, work: () => Promise<void>): Promise<string | null> => {
    try {
      await asked(work(), source.url)
      return null
    } catch (error) {
      if (!(error instanceof AloftError)) throw error
      return error.message
    }
  }

  return {
    /**
     * Makes it and has the host try it. What the host refuses stops nothing, since the repository is also asked every
     * few minutes: it is told beside the address, which can then be entered by hand.
     */
    async make(source: GitSource, save: (hook: SourceHook) => Promise<unknown>): Promise<boolean> {
      const app = source.connectionId === null ? undefined : await appOf(source.connectionId)
      if (app) {
        // One address has the deliveries of all its repositories.
        const problem = app.isCalling ? null : NOT_CALLING
        await save({ id: OF_APP, problem, triedAt: null, heardAt: null })
        return true
      }
      const access = await accessTo(source)
      if (!access || source.sealedWebhookSecret === null) return false
      const secret = vault.open(source.sealedWebhookSecret, webhookPurpose(source.projectId))
      const name = repositoryOf(source)
      const signal = AbortSignal.timeout(MINUTE)
      let hook: SourceHook = { id: null, problem: null, triedAt: null, heardAt: null }
      const problem = await why(source, async () => {
        const id = await hooks.create(access, name, { url: webhookUrlOf(site, source), secret }, signal)
        // Kept before it is tried, because the delivery may come before the host answers.
        hook = { ...hook, id, triedAt: clock.now() }
        await save(hook)
        if (!(await hooks.test(access, name, id, signal))) await save({ ...hook, triedAt: null })
      })
      if (problem !== null) await save({ ...hook, problem })
      return hook.id !== null
    },

    /** Answers why the host did not; until it does, it calls in vain. */
    async remove(source: GitSource): Promise<string | null> {
      const id = source.hook?.id
      const access = id && id !== OF_APP ? await accessTo(source) : undefined
      if (!id || !access) return null
      return why(source, () => hooks.remove(access, repositoryOf(source), id, AbortSignal.timeout(MINUTE)))
    },
  }
}

export type SourceHooks = ReturnType<typeof createSourceHook>
