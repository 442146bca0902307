import { DAY, HOUR, MINUTE } from '../time.ts'

export const PLANS = ['oss', 'free', 'pro', 'enterprise'] as const
export type Plan = (typeof PLANS)[number]

export interface Window {
  readonly points: number
  readonly ms: number
}

interface LimitSpec {
  /** Counted per caller: the account behind the token, else the address. */
  readonly windows: (plan: Plan) => readonly Window[]
  /** True when all endpoints of the group draw on one allowance. */
  readonly shared?: boolean
}

const fixed = (...windows: readonly Window[]): LimitSpec => ({ windows: () => windows })
const perDay: Record<Plan, number | undefined> = { oss: 100, free: 100, pro: 3000, enterprise: undefined }

/** How often one caller may use an endpoint. An endpoint names its group. */
export const LIMITS = {
  read: fixed({ points: 500, ms: MINUTE }),
  write: fixed({ points: 120, ms: MINUTE }),
  'create-deployment': {
    shared: true,
    windows: (plan) => {
      const day = perDay[plan]
      const minute = { points: 60, ms: MINUTE }
      return day === undefined ? [minute] : [minute, { points: day, ms: DAY }]
    },
  },
  upload: fixed({ points: 10_000, ms: MINUTE }),
  'delete-domain': { ...fixed({ points: 60, ms: MINUTE }), shared: true },
  purchase: { ...fixed({ points: 10, ms: HOUR }), shared: true },
  'issue-cert': { ...fixed({ points: 50, ms: HOUR }), shared: true },
  registration: { ...fixed({ points: 30, ms: HOUR }), shared: true },
  'registration-email': { ...fixed({ points: 10, ms: HOUR }), shared: true },
  /** Mails that one person has sent to one address, and to all. */
  'invitation-email': { ...fixed({ points: 5, ms: HOUR }), shared: true },
  'invitation-emails': { ...fixed({ points: 100, ms: HOUR }), shared: true },
  'registration-verify': fixed({ points: 120, ms: MINUTE }),
} as const satisfies Record<string, LimitSpec>

export type LimitGroup = keyof typeof LIMITS
