import { revalidatePath, revalidateTag } from 'next/cache'

export async function POST(request) {
  const { tag, path } = await request.json()
  if (tag) revalidateTag(tag)
  if (path) revalidatePath(path)
  return Response.json({ done: true })
}
