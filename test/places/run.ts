// `npm run test:places`: starts Aloft in many kinds of places, deploys what new users do, and writes docs/places.md.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { startEngine, type TestEngine } from '#test/support/docker/docker.ts'
import { connected, inOwnNamespaces } from '#test/support/sandbox/own-namespaces.ts'
import { containerPlaces } from './container-places.ts'
import { machinePlaces } from './machine-places.ts'
import type { Opened, Place } from './place.ts'
import { systemdPlace } from './systemd-place.ts'
import { type Row, writeRows } from './table.ts'
import { tryAll } from './tries.ts'

/** Engines and systemd are started in namespaces of their own, in which this file runs once more. */
const CONTAINERS = '--containers'
const args = process.argv.slice(2)
const words = args.filter((arg) => arg !== CONTAINERS)
const registry = execFileSync('npm', ['config', 'get', 'registry'], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
}).trim()

let engine: Promise<TestEngine> | undefined
const inside = [
  ...containerPlaces(() => {
    engine ??= startEngine()
    return engine
  }),
  systemdPlace,
]
const outside = machinePlaces(registry)
const names = [...outside, ...inside].map(({ name }) => name)
const wanted = (places: readonly Place[]) =>
  places.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))

let failures = 0
if (args.includes(CONTAINERS)) {
  await inOwnNamespaces(import.meta.filename, 'own, connected', args)
  await connected()
  await tryPlaces(wanted(inside))
  await (await engine)?.stop()
} else {
  writeRows(names, [])
  await tryPlaces(wanted(outside))
  // What `npm test` leaves out of it.
  if (words.length === 0)
    try {
      const env = { ...process.env, ALOFT_TEST_LONG: '1' }
      const file = join(import.meta.dirname, '../e2e/installation/ordinary-user.test.ts')
      execFileSync(process.execPath, ['--test', file], { env, stdio: 'inherit' })
    } catch {
      failures++
    }
  if (wanted(inside).length > 0)
    try {
      execFileSync(process.execPath, [import.meta.filename, CONTAINERS, ...words], { stdio: 'inherit' })
    } catch {
      failures++
    }
}
say(failures === 0 ? 'everything answers' : `${failures} failed`)
process.exit(failures === 0 ? 0 : 1)

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function tryPlaces(places: readonly Place[]): Promise<void> {
  for (const place of places) {
    if (place.missing) {
      say(`- ${place.name}: ${place.missing}`)
      continue
    }
    const row = await tryPlace(place)
    writeRows(names, [row])
    if (row.result !== 'works') failures++
  }
}

async function tryPlace(place: Place): Promise<Row> {
  const { name } = place
  const began = Date.now()
  let opened: Opened
  try {
    opened = await place.open()
  } catch (error) {
    say(`✖ ${name}: ${(error as Error).message.slice(0, 8000)}`)
    return { place: name, inForce: '', result: 'does not start' }
  }
  say(`✔ ${name}: ready after ${Math.round((Date.now() - began) / 1000)} s`)
  try {
    const { inForce, unsaid } = await lookAt(place, opened)
    const wrong = [...unsaid, ...(await tryAll(opened.aloft, registry, say))]
    return { place: name, inForce, result: wrong.length === 0 ? 'works' : `wrong: ${wrong.join(', ')}` }
  } finally {
    await opened.close()
  }
}

interface Facts {
  readonly kind: string
  readonly inForce: readonly (readonly [string, string])[]
}

/** What is in force, and where it is not said although it should be. */
async function lookAt({ isolatedBy }: Place, { aloft, printed, command }: Opened) {
  const answer = await fetch(`${aloft.url}/v1/operator/status`, {
    headers: { authorization: `Bearer ${aloft.token}` },
  })
  const { sandbox } = (await answer.json()) as { readonly sandbox: Facts }
  const facts = sandbox.inForce.map(([what, how]) => `${what}: ${how}`)
  for (const fact of facts) say(`  ${fact}`)
  const said = await printed()
  const doctor = await command('operator', 'doctor')
  const unsaid = [
    ...(sandbox.kind === isolatedBy ? [] : [`isolated by ${sandbox.kind}, not by ${isolatedBy}`]),
    ...(said.includes('isolation of builds and functions') ? [] : ['not said in the log']),
    ...(isolatedBy !== 'none' || /WITHOUT A SANDBOX|without a sandbox/.test(said)
      ? []
      : ['no warning in the log']),
    ...(/sandbox/i.test(doctor) ? [] : ['not said by the doctor']),
  ]
  for (const each of unsaid) say(`  ✖ ${each}`)
  return { inForce: facts.join('; '), unsaid }
}
