import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, request } from 'node:http'
import type { Installation } from './installation.ts'

export type Files = Readonly<Record<string, string | Buffer>>

export interface Deployed {
  readonly id: string
  readonly url: string
}

/** Waits until a deployment was built or has failed; answers all that was logged. */
export async function follow(aloft: Installation, id: string): Promise<string> {
  const answer = await fetch(`${aloft.url}/v2/platform/deployments/${id}/events?follow=1&builds=1`, {
    headers: { authorization: `Bearer ${aloft.token}` },
  })
  return answer.text()
}

/** A deployment of a real installation, once it is READY. */
export async function deployed(
  aloft: Installation,
  {
    files,
    ...more
  }: {
    readonly name: string
    readonly files: Files
    readonly env?: Record<string, string>
    readonly build?: { readonly env: Readonly<Record<string, string>> }
    readonly target?: string
    readonly regions?: readonly string[]
  },
): Promise<Deployed> {
  const headers = { authorization: `Bearer ${aloft.token}`, 'content-type': 'application/json' }
  const created = await fetch(`${aloft.url}/v8/platform/deployments`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      version: 2,
      ...more,
      files: Object.entries(files).map(([file, data]) =>
        typeof data === 'string'
          ? { file, data }
          : { file, data: data.toString('base64'), encoding: 'base64' },
      ),
    }),
  })
  const made = (await created.json()) as Deployed & { error?: object }
  assert.equal(made.error, undefined, JSON.stringify(made))
  const log = await follow(aloft, made.id)
  const read = await fetch(`${aloft.url}/v8/platform/deployments/${made.id}`, { headers })
  const { readyState, errorMessage } = (await read.json()) as { readyState: string; errorMessage?: string }
  assert.equal(readyState, 'READY', `${errorMessage}\n${log}`)
  return made
}

export interface Visit {
  readonly path: string
  readonly method?: string
  readonly body?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** What a visitor of a site gets. */
export function visit(
  aloft: Installation,
  host: string,
  { path, method = 'GET', body, headers: own }: Visit,
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      host,
      ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      ...own,
    }
    request({ port: aloft.port, host: '127.0.0.1', path, method, headers }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString('latin1')
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
    })
      .on('error', reject)
      .end(body)
  })
}
