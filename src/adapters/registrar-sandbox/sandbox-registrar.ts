import { MINUTE, YEAR } from '#contract/time.ts'
import type { Clock } from '#core/ports/clock.ts'
import { type Order, type Registrar, RegistrarFailure, TRANSFER_STATES } from '#core/ports/registrar.ts'
import type { Registry, RegistryEntry } from './registry.ts'

const AUTH_CODE = /^[!-~]{6,}$/

/** The steps of a transfer that nobody cancels. */
const STEPS = TRANSFER_STATES.slice(0, 4)

interface SandboxConfig {
  readonly registry: Registry
  readonly clock: Clock
  /** Whole US dollars a year, by what comes after the name's first label. */
  readonly prices: ReadonlyMap<string, number>
  /** How long a transfer stays in each of its states. */
  readonly transferMinutes: number
}

/** Sells names of a registry of its own, for no money: whoever asks the world for them finds nothing. */
export function createSandboxRegistrar({
  registry,
  clock,
  prices,
  transferMinutes,
}: SandboxConfig): Registrar {
  const priceOf = (name: string): number | undefined => prices.get(name.slice(name.indexOf('.') + 1))
  const stepOf = ({ at }: RegistryEntry): number =>
    Math.min(STEPS.length - 1, Math.floor((clock.now() - at) / (transferMinutes * MINUTE)))
  const movedAt = ({ at }: RegistryEntry): number => at + (STEPS.length - 1) * transferMinutes * MINUTE

  function checkPrice({ name, price }: Order): void {
    const actual = priceOf(name)
    if (actual === undefined)
      throw new RegistrarFailure('unsupported', `Names like ${name} are not sold here`)
    if (actual !== price) throw new RegistrarFailure('price_mismatch', `It costs ${actual}`, actual)
  }

  return {
    isAvailable: async (name) => (await registry.find(name)) === undefined,

    price: async (name) => priceOf(name),

    async buy(order) {
      checkPrice(order)
      const { name, key } = order
      const entry = await registry.enter({ name, key, kind: 'sold', at: clock.now() })
      if (entry.key !== key) throw new RegistrarFailure('not_available', `${name} is taken`)
      return { expiresAt: entry.at + YEAR }
    },

    async bought({ name, key }) {
      const entry = await registry.find(name)
      return entry?.key === key ? { expiresAt: entry.at + YEAR } : undefined
    },

    async startTransfer(order) {
      checkPrice(order)
      const { name, key, authCode } = order
      if (!AUTH_CODE.test(authCode)) throw new RegistrarFailure('invalid_auth_code', 'The code is wrong')
      const entry = await registry.enter({ name, key, kind: 'moved', at: clock.now() })
      if (entry.key !== key) throw new RegistrarFailure('not_transferable', `${name} is here already`)
    },

    async transferState(name) {
      const entry = await registry.find(name)
      const sold = priceOf(name) !== undefined
      if (entry?.kind === 'moved') {
        const step = stepOf(entry)
        const done = step === STEPS.length - 1
        return {
          status: STEPS[step],
          transferable: false,
          reason: done ? 'The domain is with this registrar.' : 'A transfer is in progress.',
          expiresAt: done ? movedAt(entry) + YEAR : undefined,
        }
      }
      const reason = entry
        ? 'The domain is with this registrar.'
        : sold
          ? ''
          : 'Domains of this top-level domain cannot be transferred.'
      return { status: undefined, transferable: !entry && sold, reason, expiresAt: undefined }
    },

    // Nobody else answers for its names.
    delegate: async () => {},
  }
}
