import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenAt } from '#adapters/fs/socket-file.ts'
import type { Log } from '#core/ports/log.ts'
import { restoreVisitor } from './visitor.ts'

type Answer = (req: IncomingMessage, res: ServerResponse) => void

interface AnswerParts {
  readonly socket: string
  /** Makes the API when the first request comes: most installations never have one. */
  readonly open: () => Promise<Answer>
  /** The API, where it is known that there will be requests. */
  readonly ready?: Answer | undefined
  readonly log: Log
}

const MAX_HEADER = 128 * 1024

interface AnswersForwarded {
  drain(ms: number): Promise<void>
}

/** In the working process: answers the requests of the API that serving processes of this machine hand on. */
export async function answerForwarded({ socket, open, ready, log }: AnswerParts): Promise<AnswersForwarded> {
  let api: Promise<Answer> | undefined = ready && Promise.resolve(ready)
  // Whoever hands requests on keeps connections open; closed here, one could be lost that is just being sent.
  const server = createServer(
    { maxHeaderSize: MAX_HEADER, requestTimeout: 0, keepAliveTimeout: 0 },
    async (req, res) => {
      try {
        restoreVisitor(req)
        api ??= open()
        const answer = await api
        // Who has gone away meanwhile is answered by nobody: what they asked for may have been asked for again since.
        if (!res.destroyed) answer(req, res)
      } catch (err) {
        api = undefined
        log.error({ err }, 'a forwarded request could not be answered')
        res.destroy()
      }
    },
  )
  const file = await listenAt(server, socket)
  return {
    async drain(ms) {
      const late = setTimeout(() => server.closeAllConnections(), ms)
      const closed = new Promise((resolve) => server.close(resolve))
      await file.remove()
      await closed
      clearTimeout(late)
    },
  }
}
