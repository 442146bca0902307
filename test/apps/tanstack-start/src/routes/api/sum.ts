import { createFileRoute } from '@tanstack/react-router'

export const Route = createFileRoute('/api/sum')({
  server: {
    handlers: {
      POST: async ({ request }) => {
        const { a, b } = await request.json()
        return Response.json({ sum: a + b })
      },
    },
  },
})
