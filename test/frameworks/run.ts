// `npm run test:frameworks`: deploys applications on a real installation, tries them, and writes docs/frameworks.md.
import { type Deployed, deployed } from '#test/support/deploying.ts'
import { type Installation, install, TWO_SERVING } from '#test/support/installation.ts'
import { FRAMEWORK_APPS, type FrameworkApp } from './frameworks.ts'
import { downloadWheels, FROM_WHEELS, uvLockOf, wheelFiles } from './python-wheels.ts'
import { trySteps } from './steps.ts'
import { type Row, writeRows } from './table.ts'

const names = process.argv.slice(2)
const apps = names.length === 0 ? FRAMEWORK_APPS : names.map(named)
let failures = 0

// Applications that are new have a row from now on.
writeRows([])
const aloft = await install({ env: TWO_SERVING })
try {
  for (const app of apps) {
    const row = await tryApp(aloft, app)
    writeRows([row])
    failures += row.results.filter(({ fault }) => fault !== undefined).length + (row.unbuilt ? 1 : 0)
  }
} finally {
  await aloft.remove()
}
say(failures === 0 ? 'everything answers' : `${failures} failed`)
process.exitCode = failures === 0 ? 0 : 1

function named(name: string): FrameworkApp {
  const app = FRAMEWORK_APPS.find((each) => each.name === name)
  if (app) return app
  throw new Error(`there is no ${name}, but ${FRAMEWORK_APPS.map((each) => each.name).join(', ')}`)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function tryApp(aloft: Installation, app: FrameworkApp): Promise<Row> {
  const began = Date.now()
  const site = await deployApp(aloft, app).catch((error: Error) => error)
  const took = `${Math.round((Date.now() - began) / 1000)} s`
  if (site instanceof Error) {
    say(`✖ ${app.name}: not built, ${took}\n${site.message.slice(0, 8000)}`)
    return { app, unbuilt: reasonOf(site), results: [] }
  }
  say(`✔ ${app.name}: built in ${took}`)
  const results: { what: string; fault: string | undefined }[] = []
  for (const { what, steps } of app.tries) {
    const fault = await trySteps(aloft, site.url, steps).then(
      () => undefined,
      (error: Error) => error.message,
    )
    say(fault === undefined ? `  ✔ ${what}` : `  ✖ ${what}: ${fault}`)
    results.push({ what, fault })
  }
  return { app, unbuilt: undefined, results }
}

async function deployApp(aloft: Installation, { name, files, python }: FrameworkApp): Promise<Deployed> {
  if (python === undefined) return deployed(aloft, { name, files })
  const wheels = await downloadWheels([python.package])
  const [direct = ''] = python.package.split('==')
  const lock = python.lock === undefined ? {} : { [python.lock]: uvLockOf('shop', [direct], wheels) }
  return deployed(aloft, {
    ...{ name, files: { ...files, ...lock, ...wheelFiles(wheels) } },
    build: { env: FROM_WHEELS },
  })
}

function reasonOf({ message }: Error): string {
  return (message.split('\n')[0] ?? 'for no reason').slice(0, 200)
}
