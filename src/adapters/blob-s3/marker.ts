import type { S3Client } from './s3-client.ts'

const KEY = 'installation'

/** Whose contents are in a store: a store that was named by mistake must not look like one that has lost everything. */
export interface Marker {
  read(): Promise<string | undefined>
  write(installation: string): Promise<void>
}

export const createMarker = (client: Pick<S3Client, 'getBytes' | 'put'>): Marker => ({
  read: async () => (await client.getBytes(KEY))?.toString('utf8').trim(),
  write: (installation) => client.put(KEY, Buffer.from(`${installation}\n`)),
})
