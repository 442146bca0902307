import { existsSync } from 'node:fs'
import { example, FETCHING, PYTHON } from '#test/support/app.ts'
import { deployed, type Files, visit } from '#test/support/deploying.ts'
import type { Installation } from '#test/support/installation.ts'

/** As much of an installation as its visitors see. */
export type Reached = Pick<Installation, 'url' | 'port' | 'token'>

/** What a new user deploys first, and what has to come of it. */
interface FirstTry {
  readonly what: string
  readonly name: string
  readonly files: Files
  readonly visits: readonly { readonly path: string; readonly holds: RegExp }[]
}

const TRIES: readonly FirstTry[] = [
  {
    ...{ what: 'a static site', name: 'site', files: { 'index.html': 'a page' } },
    visits: [{ path: '/', holds: /^a page$/ }],
  },
  {
    ...{ what: 'a function that fetches from the registry', name: 'fetching', files: FETCHING },
    visits: [{ path: '/api/registry', holds: /^{"status":200,"name":"is-number"}$/ }],
  },
  {
    ...{ what: 'Express', name: 'express', files: example('express') },
    visits: [{ path: '/', holds: /Express is up/ }],
  },
  {
    ...{ what: 'Vite', name: 'vite', files: example('vite-react') },
    visits: [{ path: '/', holds: /<script type="module"[^>]* src="\/assets\/index-/ }],
  },
  {
    ...{ what: 'a Python function', name: 'python', files: PYTHON },
    visits: [{ path: '/api/snake', holds: /^python 200$/ }],
  },
]

export const TRIED: readonly string[] = TRIES.map(({ what }) => what)

/** What its programs have said so far. */
async function linesOf(aloft: Reached, id: string): Promise<string> {
  const answer = await fetch(`${aloft.url}/v2/platform/deployments/${id}/events`, {
    headers: { authorization: `Bearer ${aloft.token}` },
  })
  const events = (await answer.json()) as readonly { readonly payload?: { readonly text?: string } }[]
  return events.flatMap(({ payload }) => payload?.text ?? []).join('\n')
}

/** What of it does not work there, each with its reason. */
export async function tryAll(
  aloft: Reached,
  registry: string,
  say: (line: string) => void,
): Promise<readonly string[]> {
  const bundle = '/etc/ssl/certs/ca-certificates.crt'
  const env = { REGISTRY: registry, ...(existsSync(bundle) ? { SSL_CERT_FILE: bundle } : {}) }
  const wrong: string[] = []
  for (const { what, name, files, visits } of TRIES)
    try {
      const { url, id } = await deployed(aloft as Installation, { name, files, env })
      for (const { path, holds } of visits) {
        const { status, text } = await visit(aloft as Installation, url, { path })
        if (status !== 200 || !holds.test(text))
          throw new Error(`${path}: ${status} ${text.slice(0, 300)}\n${await linesOf(aloft, id)}`)
      }
      say(`  ✔ ${what}`)
    } catch (error) {
      say(`  ✖ ${what}: ${(error as Error).message.slice(0, 4000)}`)
      wrong.push(what)
    }
  return wrong
}
