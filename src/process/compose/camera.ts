import { existsSync } from 'node:fs'
import { createChromiumCamera } from '#adapters/camera-chromium/chromium-camera.ts'
import { findChromium } from '#adapters/camera-chromium/find-chromium.ts'
import type { Camera } from '#core/ports/camera.ts'
import type { Log } from '#core/ports/log.ts'
import type { Sandbox } from '#core/ports/sandbox.ts'
import type { Config } from '../../config.ts'

/** What takes pictures of deployments, where this machine has a browser and a sandbox that it cannot leave. */
export async function openCamera(
  { chromium: wished }: Pick<Config, 'chromium'>,
  sandbox: Sandbox,
  log: Log,
  wallMs?: number,
): Promise<Camera | undefined> {
  if (wished === 'off' || sandbox.kind === 'none') return undefined
  const chromium = await findChromium(wished)
  if (chromium !== undefined)
    return createChromiumCamera({
      ...{ sandbox, chromium, log },
      needs: ['/etc/fonts'].filter((folder) => existsSync(folder)),
      ...(wallMs === undefined ? {} : { wallMs }),
    })
  if (wished !== undefined)
    log.warn({ path: wished }, 'there is no browser at ALOFT_CHROMIUM: previews are icons')
  return undefined
}
