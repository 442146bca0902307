/**
 * The three generations of the API. Versions belong to endpoints, so every endpoint names its own.
 * `legacy` and `earliest` share the older conventions: error codes, help links, lenient bodies.
 */
export type Generation = 'current' | 'legacy' | 'earliest'

export const isOld = (generation: Generation): boolean => generation !== 'current'
