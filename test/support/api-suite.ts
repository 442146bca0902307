import { after, before, describe } from 'node:test'
import { eachDatabase, giveBack } from './database/databases.ts'
import { type StartOptions, startServer, type TestServer } from './server.ts'

/** Runs a suite against the API on every database. `server` is ready inside the tests. */
export function apiSuite(
  name: string,
  suite: (server: TestServer) => void,
  options: StartOptions = {},
): void {
  eachDatabase((database, open) =>
    describe(`${name} on ${database}`, () => {
      let running: TestServer
      let databaseUrl: string | undefined
      before(async () => {
        databaseUrl = await open({ migrated: true, lent: true })
        running = await startServer({ databaseUrl, ...options })
      })
      after(async () => {
        await running?.close()
        await giveBack(databaseUrl)
      })
      suite(new Proxy({} as TestServer, { get: (_target, key) => running[key as keyof TestServer] }))
    }),
  )
}
