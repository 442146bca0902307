import assert from 'node:assert/strict'
import type { Answer, CallOptions, TestServer } from '../server.ts'

/** What a browser without script does: keeps cookies, and says which of our pages it comes from. */
interface Browser {
  readonly cookies: Map<string, string>
  call(on: string, options?: CallOptions): Promise<Answer>
  post(path: string, form: Record<string, string>, headers?: Record<string, string>): Promise<Answer>
  /** Signs in by the mail, and answers where it was sent on to. */
  signIn(email: string, next?: string): Promise<string>
}

/** What a form of a page sends besides what people fill in. */
export const hiddenIn = (page: string): Record<string, string> =>
  Object.fromEntries(
    [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(([, name, value]) => [
      name as string,
      (value as string).replaceAll('&amp;', '&'),
    ]),
  )

export function createBrowser(server: TestServer): Browser {
  const cookies = new Map<string, string>()

  const call = async (on: string, options: CallOptions = {}): Promise<Answer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await server.call(on, {
      ...options,
      headers: { 'sec-fetch-site': 'same-origin', ...(cookie && { cookie }), ...options.headers },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0/.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }

  const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    call(`POST ${path}`, {
      body: new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })

  return {
    cookies,
    call,
    post,
    async signIn(email, next) {
      const asked = await call(`GET /login${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}`)
      const sent = await post('/login', { email, ...hiddenIn(asked.body) })
      assert.equal(sent.status, 303)
      // There may be other mails, such as an invitation.
      const links = (await server.mails(email)).flatMap(
        ({ text }) => text?.match(/\/login\/accept\?token=\w+/) ?? [],
      )
      await server.call(`POST ${links.at(-1)}`)
      const done = await call(`GET ${sent.headers.get('location')}`)
      assert.equal(done.status, 303)
      return done.headers.get('location') ?? ''
    },
  }
}
