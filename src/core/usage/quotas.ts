import { teamIdOf } from '#contract/ids.ts'
import type { Plan } from '#contract/limit/limits.ts'
import {
  QUOTA_NAMES,
  type QuotaLimits,
  type QuotaName,
  quotaSpec,
  STORAGE_PARTS,
  type StoragePart,
} from '#contract/limit/quotas.ts'
import { MINUTE } from '#contract/time.ts'
import type { DeploymentStore } from '../deployment/deployment-store.ts'
import type { RepositorySizeStore } from '../git/repository-sizes.ts'
import type { InstanceStore } from '../instance/instance-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Locks } from '../ports/locks.ts'
import type { TeamStore } from '../team/team-store.ts'
import type { UserStore } from '../user/user-store.ts'
import { periodOf, resetOf } from './period.ts'
import { quotaExceeded } from './quota-exceeded.ts'
import type { QuotaSettings, ReadSettings } from './quota-settings.ts'
import { STORED_ITEMS, type StoredItem, type UsageStore } from './usage-store.ts'

/** Whose quotas are meant. */
export interface Account {
  readonly id: string
  readonly plan: Plan
}

export interface QuotaUse {
  readonly name: QuotaName
  readonly used: number
  readonly limit: number | null
  /** When what was used up is forgotten. */
  readonly reset?: number
  /** What it is made of, where that is more than one thing. */
  readonly parts?: readonly { readonly name: StoragePart; readonly used: number }[]
}

/** Stores of a transaction that is to see what it has written itself. */
export interface UsageStores {
  readonly usage: Pick<UsageStore, 'used' | 'held'>
  readonly gitSizes: Pick<RepositorySizeStore, 'used'>
  readonly instances: Pick<InstanceStore, 'ofOwner'>
  readonly deployments: Pick<DeploymentStore, 'keptRunning'>
  readonly settings: ReadSettings
  readonly locks?: Locks
}

export interface Quotas {
  limits(account: Account, within?: Pick<UsageStores, 'settings'>): Promise<QuotaLimits>
  /** The same where only the id is known; all that plan `free` has for one that is gone. */
  limitsById(accountId: string): Promise<QuotaLimits>
  used(accountId: string, name: QuotaName, within?: UsageStores): Promise<number>
  /**
   * Throws `quota_exceeded` unless there is room for this much more, with a hint besides where one is given. What has no limit
   * is not even counted.
   */
  check(account: Account, name: QuotaName, more: number, within?: UsageStores, hint?: string): Promise<void>
  /** All of them, for people to see. */
  list(account: Account): Promise<readonly QuotaUse[]>
}

interface QuotaParts {
  readonly stores: UsageStores & {
    readonly users: Pick<UserStore, 'byId'>
    readonly teams: Pick<TeamStore, 'byId'>
  }
  readonly settings: QuotaSettings
  readonly clock: Clock
}

/** More than ever are added at the same time, and not yet seen by others. */
const NEAR = 100

const isHeld = (name: QuotaName): name is StoredItem => (STORED_ITEMS as readonly QuotaName[]).includes(name)

export function createQuotas({ stores, settings, clock }: QuotaParts): Quotas {
  const limits: Quotas['limits'] = (account, within) => settings.ofAccount(account, within?.settings)

  async function kept(accountId: string, { deployments }: UsageStores): Promise<number> {
    const all = await deployments.keptRunning()
    return all.reduce((sum, { ownerId, scale }) => sum + (ownerId === accountId ? scale.min : 0), 0)
  }

  /** Whoever stores anything for an account is held to the sum of both. */
  const storage = async (id: string, within: UsageStores): Promise<Record<StoragePart, number>> => ({
    files: await within.usage.used(id, 'contentBytes', ''),
    repositories: await within.gitSizes.used(id),
  })
  const sumOf = (parts: Record<StoragePart, number>) => parts.files + parts.repositories

  const used: Quotas['used'] = async (id, name, within = stores) => {
    if (isHeld(name)) return within.usage.held(id, name)
    const period = periodOf(name, clock.now())
    if (name === 'keptInstances') return kept(id, within)
    if (name === 'instances') return (await within.instances.ofOwner(id)).count
    if (name === 'memoryMb') return (await within.instances.ofOwner(id)).memoryMb
    if (name === 'buildMinutes') return (await within.usage.used(id, 'buildMs', period)) / MINUTE
    if (name === 'contentBytes') return sumOf(await storage(id, within))
    return within.usage.used(id, name, period)
  }

  return {
    limits,
    async limitsById(id) {
      const account = (await stores.users.byId(id)) ?? (await stores.teams.byId(id))
      return limits({ id, plan: account?.plan ?? 'free' })
    },
    used,
    async check(account, name, more, within, hint) {
      const limit = (await limits(account, within))[name]
      if (limit === null) return
      let now = await used(account.id, name, within)
      // Others may be adding at the same time. Far from the limit that does not matter, and nobody has to wait.
      if (within?.locks && now + more + NEAR > limit) {
        await within.locks.take(`quota ${name}`, account.id)
        now = await used(account.id, name, within)
      }
      if (now + more > limit) throw quotaExceeded({ quota: name, limit, used: now }, clock.now(), hint)
    },
    async list(account) {
      const allowed = await limits(account)
      const uses: QuotaUse[] = []
      const kind = teamIdOf(account.id) === null ? 'user' : 'team'
      for (const name of QUOTA_NAMES) {
        if ((quotaSpec(name).of ?? kind) !== kind) continue
        const reset = resetOf(name, clock.now())
        const parts = name === 'contentBytes' ? await storage(account.id, stores) : undefined
        uses.push({
          ...{ name, used: parts ? sumOf(parts) : await used(account.id, name), limit: allowed[name] },
          ...(reset === undefined ? {} : { reset }),
          ...(parts && { parts: STORAGE_PARTS.map((part) => ({ name: part, used: parts[part] })) }),
        })
      }
      return uses
    },
  }
}
