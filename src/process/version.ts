import { readFileSync } from 'node:fs'

const read = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version

export const VERSION = read()

/** What lies on the disk now; undefined while it is being replaced. */
export function installedVersion(): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
