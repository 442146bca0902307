import { AloftError } from '#contract/errors.ts'
import { type JoinSettings, joinId, newJoinToken, sealJoin } from '#contract/join-seal.ts'
import { MINUTE } from '#contract/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { SettingStore } from '../setting/setting-store.ts'

/** How a machine becomes part of the installation. */
export interface Joining {
  /** For one machine, for a short while; an earlier invitation that nobody used is void. */
  invite(): Promise<{ readonly token: string; readonly expiresAt: number }>
  /** The sealed settings of an invitation, once. */
  join(id: string): Promise<string>
}

interface JoiningParts {
  readonly settings: SettingStore
  readonly clock: Clock
  /** What another machine needs; a string says why none can join. */
  readonly shared: () => JoinSettings | string
}

const KEY = 'join'
const LIFETIME = 15 * MINUTE

const refused = () =>
  new AloftError(
    'forbidden',
    'The invitation is unknown, was used, or is older than 15 minutes. Create another with `aloft operator join`.',
  )

export const createJoining = ({ settings, clock, shared }: JoiningParts): Joining => ({
  async invite() {
    const given = shared()
    if (typeof given === 'string') throw new AloftError('bad_request', given)
    const token = newJoinToken()
    const expiresAt = clock.now() + LIFETIME
    await settings.set(KEY, `${joinId(token)} ${expiresAt} ${sealJoin(given, token)}`)
    return { token, expiresAt }
  },

  async join(id) {
    const kept = await settings.get(KEY)
    const [known, expiresAt, sealed] = kept?.split(' ') ?? []
    if (kept === undefined || sealed === undefined || known !== id) throw refused()
    // Taken by one alone, in time or not.
    if (!(await settings.take(KEY, kept)) || clock.now() >= Number(expiresAt)) throw refused()
    return sealed
  },
})
