import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { hiddenIn } from '#test/support/browser/browser.ts'
import { type Installation, install, NOTHING_RUNS } from '#test/support/installation.ts'
import { freezeWork } from '#test/support/process/freeze-work.ts'

const EXAMPLE = resolve(import.meta.dirname, '../../../examples/integration/server.js')

describe('the example of an application, with a real installation', () => {
  let aloft: Installation
  let example: ChildProcess
  let address: string
  /** What the example printed, and who waits for what it is yet to print. */
  const lines: string[] = []
  const waiting = new Set<() => void>()

  before(async () => {
    aloft = await install({ env: { ...NOTHING_RUNS, ALOFT_PRIVATE_TARGETS: '127.0.0.1/32' } })
    const { PATH } = process.env
    example = spawn(process.execPath, [EXAMPLE], {
      env: {
        PATH,
        ALOFT_BASE_URL: aloft.url,
        ALOFT_TOKEN: aloft.token,
        PORT: '0',
        STATE_FILE: join(aloft.folder, 'example.json'),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    assert.ok(example.stdout)
    createInterface(example.stdout).on('line', (line) => {
      lines.push(line)
      for (const look of waiting) look()
    })
    address = (await printed(/^ready (.*)/))[1] as string
  })
  after(async () => {
    if (example && example.exitCode === null) {
      example.kill()
      await once(example, 'exit')
    }
    await aloft?.remove()
  })

  const printed = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((done) => {
      const look = () => {
        const found = lines.map((line) => pattern.exec(line)).find((match) => match !== null)
        if (!found) return
        waiting.delete(look)
        done(found)
      }
      waiting.add(look)
      look()
    })

  const api = (on: string, body?: unknown): Promise<Response> => {
    const [method, path] = on.split(' ') as [string, string]
    return fetch(`${aloft.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${aloft.token}`,
        ...(typeof body === 'string'
          ? { 'content-type': 'application/x-www-form-urlencoded' }
          : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  }
  const deploy = async (text: string): Promise<{ id: string; url: string; projectId: string }> => {
    const response = await api('POST /v8/platform/deployments', {
      name: 'noted',
      version: 2,
      files: [{ file: 'index.html', data: text }],
    })
    assert.equal(response.status, 200)
    return (await response.json()) as { id: string; url: string; projectId: string }
  }
  const noted = async (projectId: string): Promise<string | undefined> => {
    const { envs } = (await (await api(`GET /v9/projects/${projectId}/env`)).json()) as {
      envs: { key: string; value: string }[]
    }
    return envs.find(({ key }) => key === 'LAST_READY_DEPLOYMENT')?.value
  }

  test('it is installed by the form of the page', async () => {
    const begun = await fetch(`${address}/install`, { redirect: 'manual' })
    const asking = begun.headers.get('location') ?? ''
    assert.ok(asking.startsWith(`${aloft.url}/oauth/authorize?`))
    const page = await (await api(`GET ${asking.slice(aloft.url.length)}`)).text()
    assert.match(page, /Deployment notes/)
    const sent = await api('POST /oauth/authorize', new URLSearchParams(hiddenIn(page)).toString())
    assert.equal(sent.status, 303)
    const back = sent.headers.get('location') ?? ''
    assert.ok(back.startsWith(`${address}/callback?`))
    const installed = await fetch(back)
    assert.equal(await installed.text(), 'Installed. Deploy something.\n')
    const again = await fetch(back)
    assert.equal(again.status, 400, 'what was begun once ends once')
  })

  test('it hears of a deployment and acts on it', async () => {
    const deployment = await deploy('first')
    await printed(new RegExp(`^noted ${deployment.id}$`))
    assert.equal(await noted(deployment.projectId), deployment.url)
  })

  test('it believes nobody who cannot sign', async () => {
    for (const signature of ['', '00', '0'.repeat(40)]) {
      const response = await fetch(`${address}/webhook`, {
        method: 'POST',
        headers: { 'x-platform-signature': signature },
        body: '{"type":"deployment.ready"}',
      })
      assert.equal(response.status, 403)
    }
  })

  test('it hears of what happened although the process that would tell it was killed', async () => {
    const workers = await aloft.children('work')
    assert.ok(workers.length > 0)
    // Stopped, they can deliver nothing; the event is there when the deployment is answered.
    await freezeWork(aloft)
    const deployment = await deploy('second')
    assert.equal(lines.includes(`noted ${deployment.id}`), false)
    for (const pid of workers) process.kill(pid, 'SIGKILL')
    await printed(new RegExp(`^noted ${deployment.id}$`))
    assert.equal(await noted(deployment.projectId), deployment.url)
  })

  test('removed, it is told, and leaves nothing behind', async () => {
    const [configuration] = (await (await api('GET /v1/integrations/configurations')).json()) as {
      id: string
    }[]
    const { status } = await api(`DELETE /v1/integrations/configuration/${configuration?.id}`)
    assert.equal(status, 204)
    await printed(new RegExp(`^removed ${configuration?.id}$`))
    assert.equal(await noted('noted'), undefined)
  })
})
