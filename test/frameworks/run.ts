// `npm run test:frameworks`: deploys every application on a real installation, tries it, and writes docs/frameworks.md.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { deployed, visit } from '#test/support/deploying.ts'
import { type Installation, install, uninstall } from '#test/support/installation.ts'
import { FRAMEWORK_APPS, type FrameworkApp, type Step } from './frameworks.ts'

interface Row {
  readonly app: FrameworkApp
  readonly built: string | undefined
  readonly results: readonly { readonly what: string; readonly fault: string | undefined }[]
}

const PAGE = new URL('../../docs/frameworks.md', import.meta.url)
const only = process.argv.slice(2)
const apps = FRAMEWORK_APPS.filter(({ name }) => only.length === 0 || only.includes(name))

const aloft = await install()
const rows: Row[] = []
try {
  for (const app of apps) rows.push(await tryApp(aloft, app))
} finally {
  await aloft.stop()
  await uninstall(aloft)
}
if (only.length === 0) writeFileSync(PAGE, table(rows))
const failed = rows.flatMap(({ app, built, results }) => [
  ...(built === undefined ? [] : [`${app.name}: ${built}`]),
  ...results
    .filter(({ fault }) => fault !== undefined)
    .map(({ what, fault }) => `${app.name}: ${what}: ${fault}`),
])
process.stdout.write(failed.length === 0 ? 'everything answers\n' : `${failed.join('\n')}\n`)
process.exitCode = failed.length === 0 ? 0 : 1

async function tryApp(aloft: Installation, app: FrameworkApp): Promise<Row> {
  const began = Date.now()
  const site = await deployed(aloft, { name: app.name, files: app.files }).catch((error: Error) => error)
  const seconds = Math.round((Date.now() - began) / 1000)
  if (site instanceof Error) {
    process.stdout.write(`✖ ${app.name}: not built after ${seconds} s\n${site.message.slice(0, 4000)}\n`)
    return { app, built: reasonOf(site), results: [] }
  }
  process.stdout.write(`✔ ${app.name}: built in ${seconds} s\n`)
  const results: { what: string; fault: string | undefined }[] = []
  for (const { what, steps } of app.tries) {
    const fault = await trySteps(aloft, site.url, steps).then(
      () => undefined,
      (error: Error) => error.message,
    )
    process.stdout.write(
      `  ${fault === undefined ? '✔' : '✖'} ${what}${fault === undefined ? '' : `: ${fault}`}\n`,
    )
    results.push({ what, fault })
  }
  return { app, built: undefined, results }
}

/** What the log of a failed build says last is mostly the reason. */
const reasonOf = ({ message }: Error): string => (message.split('\n')[0] ?? 'not built').slice(0, 200)

async function trySteps(aloft: Installation, host: string, steps: readonly Step[]): Promise<void> {
  let time: string | undefined
  for (const step of steps) {
    const { status, headers, text } = await visit(aloft, host, step)
    const told = `${('method' in step && step.method) || 'GET'} ${step.path}: ${status} ${text.slice(0, 300)}`
    if ('time' in step) {
      const found = /<time>(?:<!--[^>]*-->)?(\d+)/.exec(text)?.[1]
      assert.ok(status === 200 && found !== undefined, told)
      if (step.time === 'kept') assert.equal(found, time, 'the page was made anew')
      else assert.notEqual(found, time, 'the page was not made anew')
      time = found
      continue
    }
    assert.equal(status, step.status ?? 200, told)
    assert.match(text.replace(/<!--[^>]*-->/g, ''), step.holds, told)
    if (step.type) assert.match(headers['content-type'] ?? '', step.type, told)
    for (const [name, pattern] of Object.entries(step.has ?? {}))
      assert.match(
        [headers[name] ?? ''].flat().join('\n').replaceAll('\n', ' '),
        pattern,
        `${name} of ${told}`,
      )
  }
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ app, built, results }) => {
    const { version, node } = versionsOf(app)
    const tried = results.map(({ what }) => what).join(', ') || app.tries.map(({ what }) => what).join(', ')
    const wrong = results.filter(({ fault }) => fault !== undefined).map(({ what }) => what)
    const result = built ?? (wrong.length === 0 ? 'works' : `wrong: ${wrong.join(', ')}`)
    return `| ${app.framework} | ${version} | ${node} | ${tried} | ${result.replaceAll('|', '\\|')} |`
  })
  const count = rows.reduce((sum, { results }) => sum + results.length, 0)
  return `# Frameworks

Written by \`npm run test:frameworks\`, which deploys each of these applications of \`test/apps\` and \`examples\` on an
installation of its own and visits it: ${rows.length} applications, ${count} things that were tried, on ${process.platform} ${process.arch}. What is built
how is said in [Builds and functions](building.md).

| framework | version | Node | what was tried | result |
|---|---|---|---|---|
${lines.join('\n')}
`
}

function versionsOf({ files, package: name }: FrameworkApp): { version: string; node: string } {
  const manifest = JSON.parse(String(files['package.json'])) as {
    readonly engines?: { readonly node?: string }
    readonly dependencies?: Record<string, string>
    readonly devDependencies?: Record<string, string>
  }
  const { engines, dependencies, devDependencies } = manifest
  return {
    version: { ...dependencies, ...devDependencies }[name] ?? 'unknown',
    node: engines?.node ?? 'of the project',
  }
}
