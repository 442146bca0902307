/** The regions a node can be in, and a deployment can exist in. */
export const ORIGINS = ['bru1', 'hnd1', 'iad1', 'sfo1'] as const
export type Origin = (typeof ORIGINS)[number]
