import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { readAppDelivery } from './read-app-delivery.ts'
import { pullReader } from './read-pull.ts'

interface Payload {
  readonly action?: string
  readonly number?: number
  readonly repository?: { readonly full_name: string }
  readonly repositories_added?: readonly { readonly full_name: string }[]
  readonly repositories_removed?: readonly { readonly full_name: string }[]
  readonly installation?: { readonly id: number }
  readonly pull_request?: {
    readonly head: {
      readonly ref: string
      readonly sha: string
      readonly repo: { readonly id: number } | null
    }
    readonly base: { readonly repo: { readonly id: number } }
  }
}

/** What GitHub sends, as it is published: https://github.com/octokit/webhooks */
const FOLDER = join(import.meta.dirname, '../../../node_modules/@octokit/webhooks-examples')
const skip = existsSync(FOLDER) ? false : 'the published payloads are not installed: npm install'

function published(event: string): readonly Payload[] {
  return ['api.github.com', 'ghes-35'].flatMap((host) => {
    const all = JSON.parse(readFileSync(join(FOLDER, host, 'index.json'), 'utf8')) as readonly {
      readonly name: string
      readonly examples: readonly Payload[]
    }[]
    return all.find(({ name }) => name === event)?.examples ?? []
  })
}

const read = (event: string, payload: Payload) =>
  readAppDelivery({ 'x-github-event': event }, Readable.from([])).read?.(Buffer.from(JSON.stringify(payload)))

const names = (list: readonly { readonly full_name: string }[] = []) => list.map((one) => one.full_name)

test('every published pull request is read as it is, and leads to something only where it should', {
  skip,
}, () => {
  const all = published('pull_request')
  assert.ok(all.length > 20)
  const followed = { opened: 'open', synchronize: 'open', reopened: 'reopen', closed: 'close' } as Record<
    string,
    string
  >
  const seen = new Set<string>()
  for (const payload of all) {
    const event = pullReader({ 'x-github-event': 'pull_request' })?.({ ...payload })
    const { action = '', number, pull_request: pull } = payload
    assert.equal(event?.action, followed[action], action)
    if (!event) continue
    seen.add(action)
    assert.deepEqual(
      [event.number, event.branch, event.commit, event.fork, event.ref],
      [
        ...[number, pull?.head.ref, pull?.head.sha, pull?.head.repo?.id !== pull?.base.repo.id],
        `refs/pull/${number}/head`,
      ],
    )
  }
  assert.ok(seen.has('opened') && seen.has('synchronize') && seen.has('closed') && seen.has('reopened'))
})

test('published deliveries of an app name the repositories that they are about', { skip }, async () => {
  const installation = { id: 42 }
  for (const event of ['push', 'delete', 'pull_request']) {
    const all = published(event)
    assert.ok(all.length > 0, event)
    for (const payload of all) {
      const found = await read(event, { ...payload, installation })
      assert.deepEqual(
        [found?.installationId, found?.repositories, found?.isOfInstallation],
        ['42', [payload.repository?.full_name], false],
      )
    }
  }
  for (const event of ['installation', 'installation_repositories']) {
    const all = published(event)
    assert.ok(all.length > 0, event)
    for (const payload of all) {
      const found = await read(event, payload)
      assert.deepEqual(
        [found?.installationId, found?.isOfInstallation],
        [String(payload.installation?.id), true],
      )
      if (event === 'installation_repositories')
        assert.deepEqual(found?.repositories, [
          ...names(payload.repositories_added),
          ...names(payload.repositories_removed),
        ])
    }
  }
  for (const event of ['ping', 'star', 'issues', 'check_run'])
    for (const payload of published(event)) assert.equal(await read(event, payload), undefined, event)
})
