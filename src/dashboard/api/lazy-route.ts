import { lazyRouteComponent as lazy } from '@tanstack/react-router'
import { connection, isReachable, pauseBefore } from './connection.ts'

/** The code of a page, tried again for as long as the server is away. A server that has none any more was updated. */
async function untilLoaded<Module>(load: () => Promise<Module>): Promise<Module> {
  for (let attempt = 0; ; attempt++)
    try {
      const loaded = await load()
      if (attempt > 0) connection.regained()
      return loaded
    } catch (error) {
      if (attempt > 0 && (await isReachable())) throw error
      connection.lost()
      await pauseBefore(attempt)
    }
}

/** A page whose code comes when it is opened. */
export const lazyRouteComponent: typeof lazy = (load, name) => lazy(() => untilLoaded(load), name)
