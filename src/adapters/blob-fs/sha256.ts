import { createHash } from 'node:crypto'

/** SHA-256 over blocks, wherever it is computed. A block may be used again once its promise resolves. */
export interface Sha256 {
  update(block: Buffer, length: number): Promise<void>
  digest(): Promise<string>
  /** Forgets a content that will not be digested. */
  drop(): void
}

export function inlineSha256(): Sha256 {
  const sha256 = createHash('sha256')
  return {
    async update(block, length) {
      sha256.update(block.subarray(0, length))
    },
    digest: async () => sha256.digest('hex'),
    drop: () => undefined,
  }
}
