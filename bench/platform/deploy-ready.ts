import type { Platform } from './platform.ts'

/** Deploys files and waits until they are live; answers the host. */
export async function deployReady(
  platform: Pick<Platform, 'call'>,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const body = JSON.stringify({
    name,
    version: 2,
    files: Object.entries(files).map(([file, data]) => ({ file, data })),
  })
  const { id, url } = JSON.parse(
    (await platform.call('/v8/platform/deployments', { method: 'POST', body })).body,
  )
  const log = await platform.call(`/v2/platform/deployments/${id}/events?follow=1&builds=1`)
  const { readyState } = JSON.parse((await platform.call(`/v8/platform/deployments/${id}`)).body)
  if (readyState !== 'READY') throw new Error(`${name} is ${readyState}: ${log.body.slice(-2000)}`)
  return url
}
