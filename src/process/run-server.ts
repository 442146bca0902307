import { createRequire } from 'node:module'
import type { run } from './start.ts'
import { findBundle } from './supervisor/bundle.ts'

/** Runs the server to its end, from the bundle where there is one of exactly these sources; answers the exit code. */
export async function runServer(args: readonly string[]): Promise<number> {
  // Children are told what to run, and a bundle that has come since is not that.
  const bundle = args.includes('--child') ? undefined : findBundle()
  const server: { readonly run: typeof run } = bundle
    ? createRequire(import.meta.url)(bundle)
    : await import('./start.ts')
  return server.run(args)
}
