import { revalidateTag } from 'next/cache'

export async function POST(request) {
  const { tag } = await request.json()
  revalidateTag(tag, { expire: 0 })
  return Response.json({ done: true })
}
