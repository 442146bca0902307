import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import type { BuildTask } from '#core/ports/builder.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { rootMissing } from '#test/support/sandbox/sandbox.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { createBuildEnvironment } from './build-environment.ts'
import { installDependencies } from './install/install-dependencies.ts'
import { createRegistryLookup } from './toolchain/registry.ts'
import { createToolchains } from './toolchain/toolchains.ts'
import { shell } from './workspace.ts'

const FILES = {
  'package.json': JSON.stringify({ dependencies: { isarray: '2.0.5' } }),
  'main.js': `console.log('array:', require('isarray')([]), process.version, process.env.TOKEN)`,
}
const MB = 2 ** 20

it('installs a package with npm and runs a program on it, in the sandbox', {
  skip: rootMissing,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-build-'))
  const registry = createRegistryLookup(process.env)
  const toolchains = createToolchains({
    folder: join(folder, 'toolchains'),
    registry,
    log: silentLog,
    freeBytes: 0,
  })
  const sandbox = await openSandbox({ mode: 'required', log: silentLog })
  const contents = new Map<string, Buffer>()
  const files = Object.entries(FILES).map(([path, text]) => {
    const bytes = Buffer.from(text)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    contents.set(sha256, bytes)
    return { path, sha256, sha1: '', size: bytes.length, mode: 0o100644 }
  })
  const environment = createBuildEnvironment({
    ...{ folder, sandbox, registry, clock: systemClock, log: silentLog },
    blobs: { read: async (sha256) => contents.get(sha256), open: async () => undefined },
    limits: { diskBytes: 64 * MB, memoryBytes: 512 * MB },
  })
  t.after(async () => {
    await environment.close()
    await sandbox.close()
    await rm(folder, { recursive: true, force: true })
  })
  const lines: string[] = []
  const log = {
    command: async (line: string) => void lines.push(`$ ${line}`),
    stdout: async (line: string) => void lines.push(line),
  }
  const node = await toolchains.ensureNode('24.x')
  const workspace = await environment.open({
    deployment: { id: 'dpl_real', meta: {} },
    project: { id: 'prj', ownerId: 'own' },
    files,
    env: { TOKEN: 'a-token-of-the-project' },
    secrets: ['a-token-of-the-project'],
    signal: new AbortController().signal,
    plan: { nodeVersion: '22.x' },
  } as unknown as BuildTask)

  assert.equal((await installDependencies(workspace, toolchains, { node, log })).how, 'installed')
  await workspace.run({ argv: ['node', 'main.js'], node, log })
  assert.deepEqual(lines.at(0), '$ npm install')
  assert.deepEqual(lines.slice(-2), ['$ node main.js', `array: true v${node.version} [redacted]`])

  await assert.rejects(workspace.run({ argv: shell('kill -9 $$'), node, log }), /exited with 137/)
  await assert.rejects(workspace.run({ argv: ['no-such-program'], node, log }), /no such program/)
  const fill = 'while :; do cat /opt/node/bin/node >> big; done'
  await assert.rejects(workspace.run({ argv: shell(fill), node, log }), /more than 64 MiB of disk/)
})
