import { after, before, describe } from 'node:test'
import { eachDatabase } from './databases.ts'
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
      before(async () => {
        running = await startServer({ databaseUrl: await open(), ...options })
      })
      after(() => running.close())
      suite(new Proxy({} as TestServer, { get: (_target, key) => running[key as keyof TestServer] }))
    }),
  )
}
