import type { Plan } from '#contract/limit/limits.ts'
import { PLAN_QUOTAS, QUOTA_NAMES, type QuotaLimits } from '#contract/limit/quotas.ts'
import { MINUTE } from '#contract/time.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Locks } from '../ports/locks.ts'
import type { Transact } from '../ports/transact.ts'
import type { SettingStore } from '../setting/setting-store.ts'

/** What differs from what it would be otherwise; `null` is no limit. */
type QuotaChange = Partial<QuotaLimits>

/** A change in which `default` means: as it would be otherwise. */
type QuotaRequest = { readonly [K in keyof QuotaLimits]?: number | null | 'default' }

/** What operators have set about quotas, of plans and of single accounts. */
export interface QuotaSettings {
  ofPlan(plan: Plan): Promise<QuotaLimits>
  /** Within a transaction, its own settings are to be named: what is not remembered is read from them. */
  ofAccount(
    account: { readonly id: string; readonly plan: Plan },
    within?: ReadSettings,
  ): Promise<QuotaLimits>
  /** What was set for a plan, or for this account alone. */
  ownOfPlan(plan: Plan): Promise<QuotaChange>
  ownOf(accountId: string): Promise<QuotaChange>
  changePlan(plan: Plan, requested: QuotaRequest): Promise<void>
  changeAccount(accountId: string, requested: QuotaRequest): Promise<void>
}

export type ReadSettings = Pick<SettingStore, 'get'>

interface QuotaStores {
  readonly settings: Pick<SettingStore, 'get' | 'set'>
  readonly locks: Locks
}

interface SettingParts {
  readonly settings: ReadSettings
  readonly transact: Transact<QuotaStores>
  readonly bus: Bus
  readonly clock: Clock
}

/** The bus topic that tells every process that operators changed something. */
const TOPIC = 'quotas'

const keyOfPlan = (plan: Plan) => `quotas:plan:${plan}`
const keyOfAccount = (id: string) => `quotas:account:${id}`

/** Accounts of which it is remembered, since every upload asks; and for how long, where the bus does not reach. */
const REMEMBERED = 10_000
const REMEMBERED_MS = MINUTE

const apply = (base: QuotaChange, requested: QuotaRequest): QuotaChange => {
  const merged = { ...base, ...requested }
  return Object.fromEntries(
    QUOTA_NAMES.flatMap((name) => {
      const limit = merged[name]
      return limit === undefined || limit === 'default' ? [] : [[name, limit]]
    }),
  )
}

export function createQuotaSettings({ settings, transact, bus, clock }: SettingParts): QuotaSettings {
  let known = new Map<string, QuotaChange>()
  let since = clock.monotonic()
  const forget = () => {
    known = new Map()
    since = clock.monotonic()
  }
  bus.subscribe(TOPIC, forget)
  bus.onGap?.(forget)

  async function load(key: string, from: ReadSettings): Promise<QuotaChange> {
    const text = await from.get(key)
    return text === undefined ? {} : apply({}, JSON.parse(text))
  }

  /** What another is reading is not waited for: it may wait for a connection that a transaction holds, which waits here. */
  async function read(key: string, from: ReadSettings = settings): Promise<QuotaChange> {
    if (known.size >= REMEMBERED || clock.monotonic() - since >= REMEMBERED_MS) forget()
    const found = known.get(key)
    if (found) return found
    const into = known
    const loaded = await load(key, from)
    into.set(key, loaded)
    return loaded
  }

  async function write(key: string, requested: QuotaRequest): Promise<void> {
    await transact(async (stores) => {
      // Of two who change other quotas at once, the second adds to what the first has set.
      await stores.locks.take('quotas', key)
      await stores.settings.set(key, JSON.stringify(apply(await load(key, stores.settings), requested)))
    })
    forget()
    bus.publish(TOPIC, '')
  }

  const ofPlan = async (plan: Plan, within?: ReadSettings): Promise<QuotaLimits> => ({
    ...PLAN_QUOTAS[plan],
    ...(await read(keyOfPlan(plan), within)),
  })

  return {
    ofPlan: (plan) => ofPlan(plan),
    ownOfPlan: (plan) => read(keyOfPlan(plan)),
    ownOf: (id) => read(keyOfAccount(id)),
    ofAccount: async ({ id, plan }, within) => ({
      ...(await ofPlan(plan, within)),
      ...(await read(keyOfAccount(id), within)),
    }),
    changePlan: (plan, requested) => write(keyOfPlan(plan), requested),
    changeAccount: (id, requested) => write(keyOfAccount(id), requested),
  }
}
