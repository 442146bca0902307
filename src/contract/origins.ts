/** The regions a node can be in, and a deployment can exist in. */
export const ORIGINS = ['bru1', 'hnd1', 'iad1', 'sfo1'] as const
export type Origin = (typeof ORIGINS)[number]

export const isOrigin = (value: unknown): value is Origin => (ORIGINS as readonly unknown[]).includes(value)
