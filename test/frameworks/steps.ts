import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { visit } from '#test/support/deploying.ts'
import type { Installation } from '#test/support/installation.ts'
import type { Step } from './frameworks.ts'

const TRIES = 30

/** Rejects with what is wrong with a site. */
export async function trySteps(aloft: Installation, host: string, steps: readonly Step[]): Promise<void> {
  let time: string | undefined
  for (const step of steps) {
    if ('time' in step) time = await tryTime(aloft, host, step, time)
    else await tryVisit(aloft, host, step)
  }
}

/** What was revalidated is told to the other processes at once, which takes a moment that nobody tells the end of. */
async function tryTime(
  aloft: Installation,
  host: string,
  step: Extract<Step, { time: string }>,
  before: string | undefined,
): Promise<string> {
  for (let tries = 1; ; tries++) {
    const { status, text } = await visit(aloft, host, step)
    const found = /<time>(?:<!--[^>]*-->)?(\d+)/.exec(text)?.[1]
    assert.ok(status === 200 && found !== undefined, `GET ${step.path}: ${status} ${text.slice(0, 300)}`)
    if ((found === before) === (step.time === 'kept')) return found
    assert.ok(
      step.time === 'new' && tries < TRIES,
      step.time === 'new' ? 'the page is still the old one' : 'the page is another one',
    )
    await pause(50)
  }
}

async function tryVisit(
  aloft: Installation,
  host: string,
  step: Exclude<Step, { time: string }>,
): Promise<void> {
  const { status, headers, text } = await visit(aloft, host, step)
  const told = `${step.method ?? 'GET'} ${step.path}: ${status} ${text.slice(0, 300)}`
  assert.equal(status, step.status ?? 200, told)
  assert.match(text.replace(/<!--[^>]*-->/g, ''), step.holds, told)
  if (step.type) assert.match(headers['content-type'] ?? '', step.type, told)
  for (const [name, pattern] of Object.entries(step.has ?? {}))
    assert.match([headers[name] ?? ''].flat().join(' '), pattern, `${name} of ${told}`)
}
