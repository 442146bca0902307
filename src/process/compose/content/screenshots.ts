import { existsSync } from 'node:fs'
import { createChromiumScreenshots } from '#adapters/screenshots-chromium/chromium-screenshots.ts'
import { findChromium } from '#adapters/screenshots-chromium/find-chromium.ts'
import type { Log } from '#core/ports/log.ts'
import type { Sandbox } from '#core/ports/sandbox.ts'
import type { Screenshots } from '#core/ports/screenshots.ts'
import type { Config } from '../../../config/config.ts'

/** What takes pictures of deployments, where this machine has a browser and a sandbox that it cannot leave. */
export async function openScreenshots(
  { chromium: requested }: Pick<Config, 'chromium'>,
  sandbox: Sandbox,
  log: Log,
  wallMs?: number,
): Promise<Screenshots | undefined> {
  if (requested === 'off' || sandbox.kind === 'none') return undefined
  const chromium = await findChromium(requested)
  if (chromium !== undefined)
    return createChromiumScreenshots({
      ...{ sandbox, chromium, log },
      needs: ['/etc/fonts'].filter((folder) => existsSync(folder)),
      ...(wallMs === undefined ? {} : { wallMs }),
    })
  if (requested !== undefined)
    log.warn({ path: requested }, 'there is no browser at ALOFT_CHROMIUM: previews are icons')
  return undefined
}
