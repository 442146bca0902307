import { AloftError } from '#contract/errors.ts'
import { newBearer } from '#contract/ids.ts'
import { MINUTE } from '#contract/time.ts'
import type { Memberships } from '../access/authorise.ts'
import type { HostStore } from '../alias/host-store.ts'
import type { Clock } from '../ports/clock.ts'
import { hashBearer } from '../token/token.ts'
import type { User } from '../user/user.ts'
import type { SsoPassStore } from './session.ts'

/** Long enough for a redirect on a slow line. */
const PASS_LIFE = 5 * MINUTE

/** The address of a page on a site of this installation that somebody wants to see. */
interface SignOnTarget {
  readonly url: URL
  readonly host: string
  readonly ownerId: string
}

export interface SignOn {
  /** Finds the site of an address. Whatever is not on a site of this installation is refused. */
  find(address: string, askedAt: string | undefined): Promise<SignOnTarget>
  /** Where to send the user, with a pass; undefined when this is not for them. */
  admit(user: User, wanted: SignOnTarget): Promise<string | undefined>
}

interface SignOnParts {
  readonly hosts: Pick<HostStore, 'holder'>
  readonly teams: Memberships
  readonly passes: SsoPassStore
  readonly clock: Clock
  /** The ports at which visitors reach the sites, besides the usual ones of HTTP. */
  readonly ports: readonly string[]
}

const refused = (why: string) => new AloftError('bad_request', `This URL can’t be opened: ${why}.`)

const portOf = (host: string | undefined): string => /:(\d+)$/.exec(host ?? '')?.[1] ?? ''

/** Lets people who are signed in here into guarded sites on other hosts. */
export function createSignOn({ hosts, teams, passes, clock, ports }: SignOnParts): SignOn {
  return {
    async find(address, askedAt) {
      const url = URL.canParse(address) ? new URL(address) : undefined
      if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
        throw refused('it is not an http or https URL')
      // Another port of the machine is somebody else, who must not be handed a pass.
      if (url.port !== '' && url.port !== portOf(askedAt) && !ports.includes(url.port))
        throw refused('no site is served at its port')
      const host = url.hostname.replace(/\.$/, '')
      const holder = host.length > 253 ? undefined : await hosts.holder(host)
      if (!holder) throw refused('there is no such site here')
      return { url, host, ownerId: holder.ownerId }
    },

    async admit(user, { url, host, ownerId }) {
      const isTheirs = user.id === ownerId || (await teams.membership(user.id, { id: ownerId })) !== undefined
      if (!isTheirs) return undefined
      const nonce = newBearer()
      await passes.add({
        hash: hashBearer(nonce),
        host,
        userId: user.id,
        expiresAt: clock.now() + PASS_LIFE,
      })
      // Two slashes at the start would name another host.
      const path = url.pathname.replace(/^\/+/, '/') + url.search
      const back = new URLSearchParams({ nonce, url: path })
      return `${url.protocol}//${host}${url.port && `:${url.port}`}/_platform/sso?${back}`
    },
  }
}
