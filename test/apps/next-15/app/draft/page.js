import { draftMode } from 'next/headers'

export const revalidate = 3600

export default async () => <p>{(await draftMode()).isEnabled ? 'a draft' : 'published'}</p>
