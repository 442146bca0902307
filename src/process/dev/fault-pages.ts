import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { html, raw } from '#contract/html.ts'
import type { Lease } from '#core/ports/runner.ts'

/** What is wrong, in words for the person whose code it is. */
interface Fault {
  readonly title: string
  /** Such as the file it is about. */
  readonly about?: string
  readonly text: string
}

/** Stands in for programs that cannot answer, and says why. */
export interface FaultPages {
  /** Leave to send one request, to which the fault is the answer. */
  lease(key: string, fault: Fault): Promise<Lease>
  /** What it was about is well again. */
  clear(key: string): void
  close(): void
}

interface Page {
  readonly server: Server
  readonly socket: string
  fault: Fault
}

export function createFaultPages(folder: string): FaultPages {
  const pages = new Map<string, Promise<Page>>()
  let count = 0

  const open = (fault: Fault): Promise<Page> =>
    new Promise((resolve, reject) => {
      const server = createServer((req, res) => answerFault(req, res, page.fault))
      const page: Page = { server, socket: join(folder, `f${count++}`), fault }
      server.once('error', reject)
      server.listen(page.socket, () => resolve(page))
    })

  const close = (opened: Promise<Page>) =>
    void opened.then(({ server }) => {
      server.close()
      server.closeIdleConnections()
    })

  return {
    async lease(key, fault) {
      const opened = pages.get(key) ?? open(fault)
      pages.set(key, opened)
      const page = await opened
      page.fault = fault
      return { instanceId: 'fault', socket: page.socket, release: () => {} }
    },
    clear(key) {
      const page = pages.get(key)
      pages.delete(key)
      if (page) close(page)
    },
    close() {
      for (const page of pages.values()) close(page)
      pages.clear()
    },
  }
}

/** As a page for people, and for programs as text. */
export function answerFault(req: IncomingMessage, res: ServerResponse, fault: Fault): void {
  const forPeople = (req.headers.accept ?? '').includes('text/html')
  const body = forPeople
    ? faultPage(fault)
    : `${[fault.title, fault.about, fault.text].filter(Boolean).join('\n')}\n`
  req.resume()
  res.writeHead(500, {
    'content-type': `text/${forPeople ? 'html' : 'plain'}; charset=utf-8`,
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
  })
  res.end(body)
}

const STYLE = raw(
  ':root{color-scheme:light dark;--bad:light-dark(#b3261e,#ff9d94);--soft:light-dark(#5b6270,#9aa3b2)}' +
    'body{margin:0;padding:3rem 1.25rem;font:16px/1.55 system-ui,sans-serif}main{max-width:52rem;margin:auto}' +
    'h1{font-size:1.4rem;margin:0;color:var(--bad)}p{color:var(--soft);margin:.5rem 0}' +
    'pre{padding:1rem;border-radius:10px;background:light-dark(#f4f5f8,#1a1e27);overflow:auto;' +
    'font:.85rem/1.6 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}',
)

const faultPage = ({ title, about, text }: Fault): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1>${about === undefined ? raw('') : html`<p>${about}</p>`}<pre>${text}</pre>
<p>Save a change, then reload this page.</p></main></body></html>
`.toString()
