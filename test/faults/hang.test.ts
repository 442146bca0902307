import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Installation, install, NOTHING_RUNS, TWO_SERVING } from '#test/support/installation.ts'
import { until } from '#test/support/until.ts'

let aloft: Installation

before(async () => {
  aloft = await install({ env: { ...TWO_SERVING, ...NOTHING_RUNS, ALOFT_HANG_SECONDS: '3' } })
})
after(() => aloft.remove())

/** Asks until somebody answers: what a stopped process had accepted is lost with it. */
async function read(path: string): Promise<Response> {
  for (;;) {
    const options = { headers: { authorization: `Bearer ${aloft.token}` }, signal: AbortSignal.timeout(2000) }
    const answer = await fetch(`${aloft.url}${path}`, options).catch(() => undefined)
    if (answer?.ok) return answer
  }
}

test('processes that stand still are replaced, and health tells', async () => {
  for (const role of ['serve', 'work'] as const) {
    const [stopped] = await aloft.children(role)
    const count = (await aloft.children(role)).length
    process.kill(stopped as number, 'SIGSTOP')
    await until(async () => {
      const pids = await aloft.children(role)
      return pids.length === count && !pids.includes(stopped as number)
    })
    assert.match(aloft.stderr() + aloft.stdout(), /a process stopped responding and was killed/)
  }
  const status = (await (await read('/v1/operator/status')).json()) as {
    processes: { role: string; hangs: number }[]
    checks: { name: string; ok: boolean; message: string; hint?: string }[]
  }
  for (const role of ['serve', 'work'])
    assert.ok(status.processes.some((one) => one.role === role && one.hangs === 1))
  const check = status.checks.find(({ name }) => name === 'processes')
  assert.equal(check?.ok, false)
  assert.match(check?.message ?? '', /hung once and was replaced/)
  const wanted = /search for "(.+)"/.exec(check?.hint ?? '')?.[1] ?? 'nothing'
  assert.ok(aloft.stderr().includes(wanted), 'what people are told to search for is in the log')
  const metrics = await (await read('/metrics')).text()
  assert.match(metrics, /^aloft_process_restarts_total\{process="work-1",reason="hung"\} 1$/m)
})

test('a supervisor that was stopped blames nobody', async () => {
  const pids = await aloft.children('serve')
  const before = aloft.stderr().length
  process.kill(aloft.process.pid as number, 'SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, 6000))
  process.kill(aloft.process.pid as number, 'SIGCONT')
  await read('/v1/operator/status')
  // It has looked again by the time that it answers this.
  await new Promise((resolve) => setTimeout(resolve, 4000))
  assert.deepEqual(await aloft.children('serve'), pids)
  assert.doesNotMatch(aloft.stderr().slice(before), /stopped responding/)
})
