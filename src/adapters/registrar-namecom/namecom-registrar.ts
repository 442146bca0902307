import { YEAR } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import {
  type Order,
  type PriceType,
  type Registrar,
  RegistrarFailure,
  type Registration,
  type TransferState,
} from '#core/ports/registrar.ts'
import { type ClientConfig, createClient, type Reply } from './namecom-client.ts'

const PRICE_FIELD = { new: 'purchasePrice', renewal: 'renewalPrice', transfer: 'transferPrice' } as const

/** What the service calls the states of a transfer. */
const STATES: Readonly<Record<string, NonNullable<TransferState['status']>>> = {
  pending_new_auth_code: 'pending_owner',
  pending_unlock: 'pending_owner',
  rejected: 'pending_owner',
  pending: 'pending_admin',
  submitting_transfer: 'pending_admin',
  pending_registry_unlock: 'pending_admin',
  pending_transfer: 'pending_registry',
  pending_insert: 'pending_registry',
  completed: 'completed',
  failed: 'cancelled',
  canceled: 'cancelled',
  canceled_pending_refund: 'cancelled',
}

interface Pricing {
  readonly exact: number
  /** Whole dollars, rounded up: a name is never sold for less than it costs. */
  readonly dollars: number
  /** Such names are sold only to who says what they cost. */
  readonly premium: boolean
}

interface NamecomConfig extends ClientConfig {
  readonly clock: Clock
  /** Where names that were moved here are delegated to. */
  readonly nameservers: readonly string[]
}

const messageOf = ({ body }: Reply): string =>
  `${String(body.message ?? '')} ${String(body.details ?? '')}`.toLowerCase().slice(0, 500)

/** Sells names through the Core API of name.com. */
export function createNamecomRegistrar({ clock, nameservers, ...config }: NamecomConfig): Registrar {
  const call = createClient(config)
  const domainPath = (name: string) => `/core/v1/domains/${encodeURIComponent(name)}`

  const refused = (reply: Reply): RegistrarFailure =>
    new RegistrarFailure('unavailable', `The registrar refuses with ${reply.status}`)

  async function pricing(name: string, type: PriceType): Promise<Pricing | undefined> {
    const reply = await call({
      method: 'GET',
      path: `${domainPath(name)}:getPricing?years=1`,
      repeatable: true,
    })
    if ([400, 404, 422].includes(reply.status)) return undefined
    if (reply.status !== 200) throw refused(reply)
    const exact = reply.body[PRICE_FIELD[type]]
    if (typeof exact !== 'number' || !(exact > 0)) return undefined
    return { exact, dollars: Math.ceil(exact), premium: reply.body.premium === true }
  }

  async function agreed({ name, price }: Order, type: PriceType): Promise<Pricing> {
    const found = await pricing(name, type)
    if (!found) throw new RegistrarFailure('unsupported', `Names like ${name} are not sold`)
    if (found.dollars !== price)
      throw new RegistrarFailure('price_mismatch', `It costs ${found.dollars}`, found.dollars)
    return found
  }

  async function isAvailable(name: string): Promise<boolean> {
    const reply = await call({
      method: 'POST',
      path: '/core/v1/domains:checkAvailability',
      body: { domainNames: [name], purchaseType: 'registration' },
      repeatable: true,
    })
    if (reply.status !== 200) throw refused(reply)
    const results = Array.isArray(reply.body.results) ? reply.body.results : []
    // What can be had only from its present holder is not free.
    return results.some(
      (one) =>
        one?.domainName === name &&
        one.purchasable === true &&
        (one.purchaseType ?? 'registration') === 'registration',
    )
  }

  const registrationOf = (domain: unknown): Registration => {
    const { expireDate } = (domain ?? {}) as { readonly expireDate?: unknown }
    const at = typeof expireDate === 'string' ? Date.parse(expireDate) : Number.NaN
    return { expiresAt: Number.isNaN(at) ? clock.now() + YEAR : at }
  }

  async function findOwned(name: string): Promise<Reply['body'] | undefined> {
    const reply = await call({ method: 'GET', path: domainPath(name), repeatable: true })
    if (reply.status === 404) return undefined
    if (reply.status !== 200) throw refused(reply)
    return reply.body
  }

  return {
    isAvailable,

    price: async (name, type) => (await pricing(name, type))?.dollars,

    async buy(order) {
      const { exact, premium } = await agreed(order, 'new')
      const { name, key } = order
      const reply = await call({
        method: 'POST',
        path: '/core/v1/domains',
        key,
        body: {
          domain: { domainName: name, nameservers: order.nameservers },
          years: 1,
          ...(premium ? { purchasePrice: exact } : {}),
        },
        repeatable: false,
      })
      if (reply.status === 200) return registrationOf(reply.body.domain)
      // Refused for good, if somebody else has it by now; all else can be mended by who runs this installation.
      if ([400, 422].includes(reply.status) && !(await isAvailable(name)))
        throw new RegistrarFailure('not_available', `${name} cannot be bought`)
      throw refused(reply)
    },

    async bought({ name }) {
      const domain = await findOwned(name)
      return domain && registrationOf(domain)
    },

    async startTransfer(order) {
      const { exact, premium } = await agreed(order, 'transfer')
      const { name, key, authCode } = order
      const reply = await call({
        method: 'POST',
        path: '/core/v1/transfers',
        key,
        body: { domainName: name, authCode, ...(premium ? { purchasePrice: exact } : {}) },
        repeatable: false,
      })
      if (reply.status === 200) return
      if (![400, 404, 409, 422].includes(reply.status)) throw refused(reply)
      // What an earlier request with the same key has begun is as good.
      if ((await stateOf(name))?.startsWith('pending')) return
      if (/auth/.test(messageOf(reply))) throw new RegistrarFailure('invalid_auth_code', 'The code is wrong')
      throw new RegistrarFailure('not_transferable', `${name} cannot be transferred`)
    },

    async transferState(name) {
      const status = await stateOf(name)
      if (status === 'completed') {
        const domain = await findOwned(name)
        return {
          status,
          transferable: false,
          reason: 'The domain is with this registrar.',
          expiresAt: domain && registrationOf(domain).expiresAt,
        }
      }
      const moving = status !== undefined && status !== 'cancelled'
      const supported = !moving && (await pricing(name, 'transfer')) !== undefined
      const transferable = supported && !(await isAvailable(name))
      const reason = moving
        ? 'A transfer is in progress.'
        : !supported
          ? 'Domains of this top-level domain cannot be transferred.'
          : transferable
            ? ''
            : 'The domain is not registered anywhere.'
      return { status, transferable, reason, expiresAt: undefined }
    },

    /** It still answers from where it was. */
    async delegate(name) {
      const domain = await findOwned(name)
      if (domain === undefined) return
      const present = Array.isArray(domain.nameservers) ? domain.nameservers.map(String) : []
      if (nameservers.every((server) => present.includes(server))) return
      const reply = await call({
        method: 'POST',
        path: `${domainPath(name)}:setNameservers`,
        body: { nameservers },
        repeatable: true,
      })
      if (reply.status !== 200) throw refused(reply)
    },
  }

  async function stateOf(name: string): Promise<TransferState['status']> {
    const reply = await call({
      method: 'GET',
      path: `/core/v1/transfers/${encodeURIComponent(name)}`,
      repeatable: true,
    })
    if (reply.status === 404) return undefined
    const status = typeof reply.body.status === 'string' ? STATES[reply.body.status] : undefined
    if (reply.status !== 200 || status === undefined) throw refused(reply)
    return status
  }
}
