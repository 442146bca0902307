import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The program that `aloft dev` starts: `src/dev.ts` in a clone, `dist/dev.js` in a package. It is found from here, one
 * folder up, under the extension that this very file has; a package has to keep it there.
 */
export const DEV_ENTRY = fileURLToPath(new URL(`../dev${extname(import.meta.url)}`, import.meta.url))
