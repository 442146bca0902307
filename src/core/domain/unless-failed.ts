import { ResolverFailure } from '../ports/resolver.ts'

/** Undefined when nobody answered. */
export const unlessFailed = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof ResolverFailure) return undefined
    throw error
  })
