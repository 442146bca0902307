// The package, made once for all tests that want it: `node scripts/test/pack.ts <file>`.
import { copyFile, rename } from 'node:fs/promises'
import { packNow } from '../../test/support/program/package.ts'

const [to] = process.argv.slice(2) as [string]
const packed = await packNow()
await copyFile(packed.file, `${to}.part`)
await packed.remove()
// Whoever waits for it finds it whole.
await rename(`${to}.part`, to)
