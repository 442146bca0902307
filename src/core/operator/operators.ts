import { AloftError, noSuch } from '#contract/errors.ts'
import { newBearer } from '#contract/ids.ts'
import type { Plan } from '#contract/limit/limits.ts'
import type { Page, PageQuery } from '#contract/page.ts'
import type { JobHandler } from '../job/job-handler.ts'
import type { FailedJob, JobStore } from '../job/job-queue.ts'
import { type LateJob, lateJobs } from '../job/late-jobs.ts'
import { recurringKey } from '../job/recurring-key.ts'
import type { Transact } from '../ports/transact.ts'
import type { SettingStore } from '../setting/setting-store.ts'
import type { TeamStore } from '../team/team-store.ts'
import { hashBearer } from '../token/token.ts'
import type { TokenStore } from '../token/token-store.ts'
import { issueToken } from '../token/tokens.ts'
import { readEmail, type User } from '../user/user.ts'
import type { UserStore } from '../user/user-store.ts'
import { ensureUser, type UserRules } from '../user/users.ts'
import { type Account, type AccountStore, type ListedAccount, ofTeam, ofUser } from './account.ts'

export interface Operators {
  /** Makes the operator that the configuration names, unless an account has its address already. */
  bootstrap(command: { readonly email: string; readonly token: string }): Promise<void>
  /** The token of a new one-time set-up link, or undefined when somebody operates this installation. */
  openSetup(): Promise<string | undefined>
  isSetupOpen(token: string): Promise<boolean>
  /** Whether a set-up link was printed that nobody has used yet. */
  isSetupPending(): Promise<boolean>
  /** Makes the first operator. Answers its API token; the link is used up. */
  completeSetup(token: string, email: string): Promise<{ readonly user: User; readonly bearer: string }>
  listAccounts(page: PageQuery, search: string | undefined): Promise<Page<ListedAccount>>
  findAccount(idOrEmailOrSlug: string): Promise<Account>
  updateAccount(
    idOrEmailOrSlug: string,
    change: { readonly plan?: Plan; readonly softBlocked?: boolean },
  ): Promise<Account>
  jobs(): Promise<{
    readonly jobs: readonly Pick<JobHandler, 'kind' | 'summary'>[]
    readonly queue: Awaited<ReturnType<JobStore['counts']>>
  }>
  /** Those of them that do not come round when they should. */
  lateJobs(): Promise<readonly LateJob[]>
  runJob(name: string): Promise<string>
  failedJobs(page: PageQuery): Promise<Page<FailedJob>>
  /** Answers the job that will be done. */
  retryJob(id: string): Promise<{ readonly id: string; readonly kind: string }>
  forgetJob(id: string): Promise<void>
}

interface Stores {
  readonly users: UserStore
  readonly teams: TeamStore
  readonly tokens: TokenStore
  readonly settings: SettingStore
  readonly jobs: JobStore
  readonly accounts: AccountStore
}

interface OperatorParts extends UserRules {
  readonly stores: Stores
  readonly transact: Transact<Stores>
  /** The jobs that run again and again, and so can be run by hand. */
  readonly recurring: readonly Pick<JobHandler, 'kind' | 'summary'>[]
  /** Told when an account was blocked or unblocked: its sites answer otherwise from now on. */
  readonly onBlockChanged: () => void
}

const SETUP = 'setup-link'

async function find({ users, teams }: Stores, key: string): Promise<Account> {
  const user = key.includes('@')
    ? await users.byEmail(key.toLowerCase())
    : ((await users.byId(key)) ?? (await users.byUsername(key)))
  if (user) return ofUser(user)
  const team = (await teams.byId(key)) ?? (await teams.bySlug(key))
  if (team) return ofTeam(team)
  throw noSuch('account', key)
}

const noFailedJob = (id: string) => noSuch('dead job', id)

export function createOperators({
  stores,
  transact,
  recurring,
  onBlockChanged,
  ...rules
}: OperatorParts): Operators {
  const { clock } = rules
  const linkUsed = () =>
    new AloftError(
      'not_found',
      'This setup link is not valid or was already used. Restart the server to print a new one.',
    )

  return {
    async bootstrap({ email: text, token }) {
      const email = readEmail(text)
      try {
        await transact(async ({ users, tokens }) => {
          if (await users.byEmail(email)) return
          const user = await ensureUser(users, email, { ...rules, operator: true })
          await issueToken(tokens, {
            userId: user.id,
            name: 'bootstrap',
            kind: 'account',
            now: clock.now(),
            bearer: token,
          })
        })
      } catch (error) {
        // Machines that start at the same moment race for it; the account that one of them made serves all.
        const isThere = error instanceof AloftError && (await stores.users.byEmail(email)) !== undefined
        if (!isThere) throw error
      }
    },

    async openSetup() {
      if (await stores.users.hasOperator()) return undefined
      const token = newBearer()
      await stores.settings.set(SETUP, hashBearer(token))
      return token
    },

    isSetupPending: async () =>
      (await stores.settings.get(SETUP)) !== undefined && !(await stores.users.hasOperator()),

    isSetupOpen: async (token) => (await stores.settings.get(SETUP)) === hashBearer(token),

    completeSetup: (token, text) =>
      transact(async ({ users, tokens, settings }) => {
        const email = readEmail(text)
        if (!(await settings.take(SETUP, hashBearer(token)))) throw linkUsed()
        const { id } = await ensureUser(users, email, rules)
        const user = (await users.update(id, { operator: true })) as User
        const { bearer } = await issueToken(tokens, {
          userId: id,
          name: 'set-up',
          kind: 'account',
          now: clock.now(),
        })
        return { user, bearer }
      }),

    listAccounts: (page, search) => stores.accounts.list(page, search?.trim() || undefined),

    findAccount: (key) => find(stores, key),

    async updateAccount(key, change) {
      const updated = await transact(async (inTx) => {
        const account = await find(inTx, key)
        if (account.kind === 'user') await inTx.users.update(account.id, change)
        else await inTx.teams.update(account.id, change)
        return find(inTx, account.id)
      })
      if (change.softBlocked !== undefined) onBlockChanged()
      return updated
    },

    jobs: async () => ({ jobs: recurring, queue: await stores.jobs.counts() }),
    async lateJobs() {
      const keys = recurring.map(({ kind }) => recurringKey(kind))
      return lateJobs(recurring, await stores.jobs.scheduled(keys), clock.now())
    },

    async runJob(name) {
      if (!recurring.some(({ kind }) => kind === name))
        throw new AloftError(
          'not_found',
          `There is no job \`${name}\`. Available: ${recurring.map(({ kind }) => kind).join(', ')}.`,
        )
      return transact(({ jobs }) => jobs.enqueue({ kind: name, payload: {}, key: `by-hand:${name}` }))
    },

    failedJobs: (page) => stores.jobs.failed(page),

    async retryJob(id) {
      const retried = await transact(({ jobs }) => jobs.retryFailed(id))
      if (!retried) throw noFailedJob(id)
      return retried
    },

    async forgetJob(id) {
      if (!(await transact(({ jobs }) => jobs.forgetFailed(id)))) throw noFailedJob(id)
    },
  }
}
