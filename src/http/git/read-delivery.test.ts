import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { readDelivery } from './read-delivery.ts'

const read = (headers: Record<string, string>) => readDelivery(headers, Readable.from([]))

test('each host says in its own words who it is and which delivery it makes', () => {
  const hmac = (value: string) => ({ kind: 'hmac', value })
  const hosts: [string, Record<string, string>, object | undefined, string | undefined][] = [
    [
      'GitHub, which also sends an older signature',
      {
        'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
        'x-github-event': 'push',
        'x-hub-signature': 'sha1=7d38cdd689735b008b3c702edd92eea23791c5f6',
        'x-hub-signature-256': 'sha256=d57c',
      },
      hmac('d57c'),
      '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    ],
    [
      'GitLab',
      { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': 'Secret', 'x-gitlab-event-uuid': '13792a34' },
      { kind: 'secret', value: 'Secret' },
      '13792a34',
    ],
    [
      'Gitea, which also sends what GitHub does',
      { 'x-gitea-delivery': 'f6266f16', 'x-gitea-signature': 'ab12', 'x-hub-signature-256': 'sha256=ab12' },
      hmac('ab12'),
      'f6266f16',
    ],
    ['Forgejo', { 'x-forgejo-delivery': '1', 'x-forgejo-signature': 'ab12' }, hmac('ab12'), '1'],
    [
      'Bitbucket',
      { 'x-event-key': 'repo:push', 'x-request-uuid': '2', 'x-hub-signature': 'sha256=ab12' },
      hmac('ab12'),
      '2',
    ],
    [
      'Gitea without a secret, which leaves the signatures empty',
      {
        'x-gitea-delivery': '3',
        'x-gitea-signature': '',
        'x-hub-signature-256': 'sha256=',
        'x-hub-signature': 'sha1=',
      },
      undefined,
      '3',
    ],
    ['anything else', { 'content-type': 'application/json' }, undefined, undefined],
  ]
  for (const [name, headers, proof, id] of hosts) {
    assert.deepEqual(read(headers).proof, proof, name)
    assert.equal(read(headers).id, id, name)
  }
})

test('more than any host sends is refused', async () => {
  const megabyte = Buffer.alloc(1 << 20)
  const { body } = readDelivery({}, Readable.from(Array.from({ length: 26 }, () => megabyte)))
  const readAll = async () => {
    for await (const _chunk of body);
  }
  await assert.rejects(readAll, { kind: 'payload_too_large' })
})

const pull = { action: 'opened', number: 1, pull_request: { number: 1, html_url: 'https://host.example/1' } }
const headersOfPull = { 'x-github-event': 'pull_request' }

test('what nobody parses without holding up everybody else is no pull request', async () => {
  const { read: readPull } = read(headersOfPull)
  const head = { ref: 'fix', sha: 'a'.repeat(40), repo: { id: 1, full_name: 'ann/site' } }
  const sound = { ...pull, pull_request: { ...pull.pull_request, head, base: { repo: { id: 1 } } } }
  const asForm = (payload: object) => `payload=${encodeURIComponent(JSON.stringify(payload))}`
  for (const text of [JSON.stringify(sound), asForm(sound)])
    assert.equal((await readPull?.(Buffer.from(text)))?.branch, 'fix')
  const commits = Array.from({ length: 50_000 }, (_, id) => ({ id, message: 'x'.repeat(60) }))
  assert.equal((await readPull?.(Buffer.from(JSON.stringify({ ...sound, commits }))))?.branch, 'fix')
  for (const text of [
    JSON.stringify({ ...sound, nested: '@' }).replace('"@"', '['.repeat(101) + ']'.repeat(101)),
    JSON.stringify({ ...sound, wide: { objects: Array.from({ length: 1_000_000 }, () => ({})) } }),
    asForm({ ...sound, wide: 'x'.repeat(3_000_000) }),
  ])
    await assert.rejects(async () => readPull?.(Buffer.from(text)), /the body is not JSON/)
})
