// Which request code runs for, on Bun: its lines, and what goes on after its answer, are told to the launcher in ../node.
import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { format, inspect } from 'node:util'

const require = createRequire(import.meta.url)
const { createExchanges, current, inside, publishContext } = require('../node/exchange.cjs')
const { captureOutput, createLines } = require('../node/output.cjs')

/** The pipe to the launcher. */
const TOLD = 3
/** What the edge says with a request; programs do not see it. */
const ID = 'x-aloft-request-id'
const OWN = [ID, 'x-aloft-revalidated']

function tell(message) {
  try {
    writeSync(TOLD, `${JSON.stringify(message)}\n`)
  } catch {
    // Nobody listens, as where the program is tried by hand.
  }
}

const exchanges = createExchanges((pending) => tell({ type: 'background', pending }))
const lines = createLines(tell)
let open = 0
const empty = []

/** Runs `answer` for a request; its exchange ends with what is answered, or when `ends` says so. */
function within(id, headers, answer, ends) {
  const exchange = exchanges.begin(id, {
    get headers() {
      return headers()
    },
  })
  open += 1
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    exchanges.end(exchange)
    lines.end(exchange)
    open -= 1
    if (open === 0) for (const resolve of empty.splice(0)) resolve()
  }
  if (ends !== undefined) {
    ends(end)
    return inside(exchange, answer)
  }
  return inside(exchange, async () => {
    try {
      return await answer()
    } finally {
      end()
    }
  })
}

/** A function of a web Request, which Bun.serve calls. */
export const withRequest =
  (handle) =>
  (request, ...rest) => {
    const id = request.headers.get(ID) ?? undefined
    for (const name of OWN) request.headers.delete(name)
    return within(
      id,
      () => Object.fromEntries(request.headers),
      () => handle(request, ...rest),
    )
  }

/** An answer of node:http. */
export function withMessage(req, res, answer) {
  const id = req.headers[ID]
  for (const name of OWN) delete req.headers[name]
  return within(
    id,
    () => req.headers,
    answer,
    (end) => {
      res.once('finish', end)
      res.once('close', end)
    },
  )
}

export const contextOf = () => current()?.context

/** The console of Bun writes past process.stdout. */
function captureConsole() {
  const capture = (name, stream, words) => {
    const own = console[name].bind(console)
    console[name] = (...args) => {
      const exchange = current()
      if (exchange?.id === undefined) own(...args)
      else lines.write(exchange, stream, `${words(...args)}\n`)
    }
  }
  for (const name of ['log', 'info', 'debug']) capture(name, 'stdout', format)
  for (const name of ['warn', 'error']) capture(name, 'stderr', format)
  capture('dir', 'stdout', (value, options) => inspect(value, options))
  capture('trace', 'stderr', (...args) => new Error(format(...args)).stack.replace(/^Error/, 'Trace'))
}

/** Once, before the program is loaded. */
export function followRequests() {
  publishContext(exchanges)
  captureOutput(lines)
  captureConsole()
  process.on('SIGTERM', async () => {
    // A program that has listeners of its own decides for itself.
    if (process.listenerCount('SIGTERM') > 1) return
    if (open > 0) await new Promise((resolve) => empty.push(resolve))
    await exchanges.idle()
    process.exit(0)
  })
}
