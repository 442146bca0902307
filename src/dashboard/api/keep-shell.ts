const WORKER = '/worker.js'

/** Types of browsers that know them; the compiler's library does not name them yet. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string }
}

/**
 * Has the browser keep the dashboard's program, so that a page that is reloaded while the server is away still opens.
 * Browsers offer it by TLS and on the computer itself alone.
 */
export async function keepShell(): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  const policy = trustedTypes?.createPolicy('aloft-worker', { createScriptURL: () => WORKER })
  try {
    await navigator.serviceWorker.register(policy?.createScriptURL(WORKER) ?? WORKER)
    const { active } = await navigator.serviceWorker.ready
    // What came before the worker was there was not seen by it: asked for again, it comes from the browser's own cache.
    if (active === null) return
    const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name))
    const own = loaded.filter(
      ({ origin, pathname }) => origin === location.origin && /^\/assets\//.test(pathname),
    )
    await Promise.allSettled(own.map(({ pathname }) => fetch(pathname)))
  } catch {
    // Whoever forbids it does without.
  }
}
