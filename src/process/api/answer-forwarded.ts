import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Log } from '#core/ports/log.ts'
import { restoreVisitor } from './visitor.ts'

interface AnswerParts {
  readonly socket: string
  /** Makes the API when the first request comes: most installations never have one. */
  readonly open: () => Promise<(req: IncomingMessage, res: ServerResponse) => void>
  readonly log: Log
}

const MAX_HEADER = 128 * 1024

export interface AnswersForwarded {
  drain(ms: number): Promise<void>
}

/** In the working process: answers the requests of the API that serving processes of this machine hand on. */
export async function answerForwarded({ socket, open, log }: AnswerParts): Promise<AnswersForwarded> {
  let api: ReturnType<AnswerParts['open']> | undefined
  const server = createServer({ maxHeaderSize: MAX_HEADER, requestTimeout: 0 }, async (req, res) => {
    try {
      restoreVisitor(req)
      api ??= open()
      ;(await api)(req, res)
    } catch (err) {
      api = undefined
      log.error({ err }, 'a request that was handed on could not be answered')
      res.destroy()
    }
  })
  // Whoever was here before died without taking it away.
  await rm(socket, { force: true })
  server.listen(socket)
  await once(server, 'listening')
  await chmod(socket, 0o600)
  return {
    async drain(ms) {
      const late = setTimeout(() => server.closeAllConnections(), ms)
      await new Promise((resolve) => server.close(resolve))
      clearTimeout(late)
    },
  }
}
