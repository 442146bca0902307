// Where the bundle begins, which is for children alone: the supervisor is small, and runs from the sources.
import { run } from './start.ts'

process.exit(await run())
