import { access, constants, realpath } from 'node:fs/promises'

/** Programs, not the scripts that some systems start them with. */
const USUAL = [
  '/usr/lib/chromium/chromium',
  '/usr/lib/chromium-browser/chromium-browser',
  '/usr/lib64/chromium-browser/chromium-browser',
  '/opt/google/chrome/chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** The browser of this machine, or the one that is asked for. Undefined where there is none. */
export async function findChromium(requested?: string): Promise<string | undefined> {
  for (const path of requested === undefined ? USUAL : [requested])
    try {
      const real = await realpath(path)
      await access(real, constants.X_OK)
      return real
    } catch {
      // Not here.
    }
  return undefined
}
