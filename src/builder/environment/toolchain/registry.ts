import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Where packages come from. */
export interface Registry {
  /** Ends with a slash. */
  readonly url: string
  /** Certificates to trust besides the usual ones: a file of the machine. */
  readonly caFile?: string
}

const ASKED_WITHIN_MS = 30_000

/** Whatever the registry's address is written like, or undefined. */
function normalUrl(text: unknown): string | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  // Credentials are for no build to see.
  url.username = ''
  url.password = ''
  url.hash = ''
  url.search = ''
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}

/**
 * The registry of the machine's own npm configuration. Npm itself is asked, as its answer depends on several files,
 * the environment and its built-in default. Tokens are not: they never reach a build.
 */
async function askNpm(env: NodeJS.ProcessEnv): Promise<Registry> {
  // Under `npm start` that very npm is known.
  const own = env.npm_execpath
  const [program, before] = own?.endsWith('.js') ? [process.execPath, [own]] : ['npm', []]
  const { stdout } = await promisify(execFile)(program, [...before, 'config', 'list', '--json'], {
    env: { ...env, npm_config_update_notifier: 'false' },
    cwd: '/',
    timeout: ASKED_WITHIN_MS,
    maxBuffer: 4 * 2 ** 20,
  })
  const settings = JSON.parse(stdout) as { registry?: unknown; cafile?: unknown }
  const url = normalUrl(settings.registry)
  if (url === undefined) throw new Error(`npm has no valid registry: ${JSON.stringify(settings.registry)}`)
  const caFile =
    typeof settings.cafile === 'string' && settings.cafile !== '' ? settings.cafile : env.NODE_EXTRA_CA_CERTS
  return caFile ? { url, caFile } : { url }
}

/** Asks when first needed; an answer is kept, a failure is not. */
export function createRegistryLookup(env: NodeJS.ProcessEnv): () => Promise<Registry> {
  let known: Promise<Registry> | undefined
  return () => {
    known ??= askNpm(env).catch((error) => {
      known = undefined
      throw new Error(`The package registry could not be determined: ${(error as Error).message}`, {
        cause: error,
      })
    })
    return known
  }
}
