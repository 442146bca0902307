import { invalidRequest } from '#contract/errors.ts'
import { iso } from '#contract/time.ts'
import type { CreateDeployment } from '#core/deployment/create/read-deployment-request.ts'
import { type Deployment, legacyStateOf } from '#core/deployment/deployment.ts'
import type { FileInput } from '#core/deployment/file/manifest.ts'
import { isRecord } from '#core/is-record.ts'

export const listItem = (d: Deployment) => ({
  uid: d.id,
  name: d.name,
  url: d.host,
  created: String(d.createdAt),
})

export const single = (d: Deployment, instances: number) => ({
  uid: d.id,
  host: d.host,
  state: legacyStateOf(d, instances),
  stateTs: iso(d.stateAt),
})

export const created = (d: Deployment) => ({ uid: d.id, host: d.host, state: 'BOOTING' as const })

/** `package` holds the manifest; `public` is a setting; every other key is a path with its content. */
export function readCreate(body: Readonly<Record<string, unknown>>): CreateDeployment {
  const { package: manifest, public: isPublic, ...rest } = body
  if (manifest === undefined) throw invalidRequest('missing required property `package`')
  if (!isRecord(manifest)) throw invalidRequest('`package` should be an object')
  if (isPublic !== undefined && typeof isPublic !== 'boolean')
    throw invalidRequest('`public` should be a boolean')
  const files = Object.entries(rest).map(([file, data]): FileInput => {
    if (typeof data !== 'string')
      throw invalidRequest(`\`${file.slice(0, 80)}\` should be the text of a file`)
    return { file, data }
  })
  const { name } = manifest as { name?: unknown }
  if (typeof name !== 'string') throw invalidRequest('missing required property `package.name`')
  return {
    // A scope such as `@acme/` is the registry's business.
    name: name.replace(/^@[^/]*\//, ''),
    type: 'NPM',
    files: [...files, { file: 'package.json', data: JSON.stringify(manifest, null, 2) }],
    ...(isPublic === undefined ? {} : { public: isPublic }),
  }
}
